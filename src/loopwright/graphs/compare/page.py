"""The page of a comparison: plot, tables and notes in one HTML file, which asks for nothing else from anywhere."""

from collections.abc import Sequence
from html import escape

from loopwright.graphs.compare.plot import plot_of
from loopwright.graphs.compare.results import Results
from loopwright.graphs.compare.table import judging_words, pair_cells, pairs_words, standing_cells
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.draw.svg import FONT
from loopwright.graphs.draw.theme import Theme


def page_of(results: Results, theme: Theme) -> str:
    """Results as one HTML page that can be sent to anybody.

    Args:
        results: What is told.
        theme: The colours.
    """
    names = ", ".join(visible(standing.name) for standing in results.contenders)
    words = [pairs_words(results), judging_words(results)]
    return _PAGE.format(
        title=escape(f"Comparison of {names}"),
        font=FONT,
        background=theme.background,
        text=theme.text,
        muted=theme.muted,
        line=theme.label_edge,
        plot=plot_of(results, theme),
        standings=_table(standing_cells(results)),
        pairs=_table(pair_cells(results)) if results.pairs else "",
        words="\n".join(f"<p>{escape(text)}</p>" for text in words if text),
        notes="\n".join(f"<li>{escape(_lines(note))}</li>" for note in results.notes),
        problems=results.problems,
    )


def _lines(text: str) -> str:
    return "\n".join(visible(line) for line in text.splitlines())


def _table(rows: Sequence[Sequence[str]]) -> str:
    """The rows as a table; a column without a word is left out."""
    places = [place for place in range(len(rows[0])) if any(row[place] for row in rows[1:])]
    head, *body = ([escape(visible(row[place])) for place in places] for row in rows)
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body]
    return "\n".join(["<table>", "<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>", *lines, "</table>"])


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ margin: 1.2rem 1.5rem; background: {background}; color: {text}; font: 15px/1.5 {font}; }}
h1 {{ font-size: 1.3rem; font-weight: 600; margin: 0 0 0.6rem; overflow-wrap: anywhere; }}
figure, div {{ margin: 0 0 1rem; overflow: auto; max-width: 100%; }}
table {{ border-collapse: collapse; margin: 0 0 0.6rem; }}
th, td {{ text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid {line}; white-space: nowrap; }}
th, p {{ color: {muted}; font-weight: 400; }}
li {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>Problems: {problems}.</p>
<figure>
{plot}</figure>
<div>
{standings}
{pairs}
</div>
{words}
<ul>
{notes}
</ul>
</body>
</html>
"""
