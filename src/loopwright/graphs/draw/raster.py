"""The raster: SVG into PNG, by a library of its own. Only `png` loads this module, when a PNG is wanted.

The library draws text with fonts, and a container has none. So one comes with the extra, and every machine draws the
same letters; characters that it has not are taken from the machine's own fonts.
"""

import font_source_sans_pro
import resvg_py

_FONT = "* { font-family: 'Source Sans Pro' }"


def raster(svg: str, scale: float) -> bytes:
    """The PNG of an SVG.

    Args:
        svg: The picture.
        scale: Pixels of the PNG for each of the SVG.

    Example:
        >>> raster('<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"/>', 1.0)[1:4]
        b'PNG'
    """
    fonts = font_source_sans_pro.font_files_ttf
    files = [fonts["SourceSansPro"], fonts["SourceSansProBold"]]
    return resvg_py.svg_to_bytes(svg_string=svg, zoom=scale, font_files=files, style_sheet=_FONT)
