"""The raster draws text with the font that comes with it."""

from loopwright.graphs.draw.raster import raster

TEXT = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20">'
    '<text x="5" y="15" font-family="{font}" font-size="12">{text}</text></svg>'
)


def test_letters_are_there_whatever_font_is_named() -> None:
    empty = raster(TEXT.format(font="Helvetica, sans-serif", text=""), 1.0)
    one, other = (raster(TEXT.format(font=font, text="revise ≤ 3"), 1.0) for font in ("Helvetica, Arial", "none"))
    assert one == other != empty
