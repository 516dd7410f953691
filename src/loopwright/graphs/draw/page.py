"""The page: one HTML file with the picture and its legend. It asks for nothing else, from anywhere."""

from html import escape

from loopwright.graphs.draw.legend import legend_of
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.draw.scene import Scene
from loopwright.graphs.draw.svg import FONT, markup, svg_of
from loopwright.graphs.draw.theme import Theme


def page_of(scene: Scene, theme: Theme) -> str:
    """A scene as one HTML page that can be sent to anybody.

    Args:
        scene: The scene.
        theme: The colours.

    Example:
        >>> from loopwright.graphs.builder import one_node_plan
        >>> from loopwright.graphs.draw.scene import scene_of
        >>> from loopwright.graphs.draw.theme import LIGHT
        >>> from loopwright.nodes.think import Think
        >>> plan = one_node_plan(Think("greet", prompt="Hello"))
        >>> "<h1>greet</h1>" in page_of(scene_of(plan), LIGHT)
        True
    """
    legend = "\n".join(
        f"<dt>{markup(sample, '', theme)}</dt><dd>{escape(words)}</dd>" for sample, words in legend_of(scene)
    )
    return _PAGE.format(
        name=escape(visible(scene.name)),
        font=FONT,
        background=theme.background,
        text=theme.text,
        muted=theme.muted,
        picture=svg_of(scene, theme),
        legend=legend,
    )


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{name}</title>
<style>
body {{ margin: 2rem; background: {background}; color: {text}; font: 15px/1.5 {font}; }}
h1 {{ font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere; }}
main {{ display: flex; flex-wrap: wrap; gap: 2rem; align-items: flex-start; }}
figure {{ margin: 0; overflow-x: auto; max-width: 100%; }}
dl {{ display: grid; grid-template-columns: auto 1fr; gap: 0.1rem 1rem; align-items: center; }}
dl {{ max-width: 32rem; margin: 0; }}
dt {{ justify-self: center; line-height: 0; }}
dd {{ margin: 0; color: {muted}; }}
</style>
</head>
<body>
<h1>{name}</h1>
<main>
<figure>
{picture}</figure>
<dl>
{legend}
</dl>
</main>
</body>
</html>
"""
