"""PNG: the SVG as pixels, for where no SVG may be. It needs the extra `png`, no browser and no network."""

import importlib
import math
import re

from loopwright.errors import DrawError

MOST = 120_000_000
"""The pixels that a PNG may have: half a gigabyte of memory while it is made."""

_SIZE = re.compile(r'width="([\d.]+)" height="([\d.]+)"')


def png_of(svg: str, scale: float = 2.0) -> bytes:
    """A picture as PNG.

    Args:
        svg: The picture as SVG; its first tag tells its size.
        scale: Pixels for each of the SVG's own: 2 for screens of today, 1 for small files, 4 for print.

    Raises:
        DrawError: The scale is no number above 0, the PNG would be too large, or the extra `png` is not installed.

    Example:
        >>> png_of('<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"/>')[1:4]
        b'PNG'
    """
    if not (math.isfinite(scale) and scale > 0):
        raise DrawError(f"scale is {scale}; it is a number above 0: pixels for each pixel of the SVG")
    width, height = (math.ceil(float(size) * scale) for size in _SIZE.findall(svg)[0])
    if width * height > MOST:
        fits = math.floor(scale * math.sqrt(MOST / (width * height)) * 100) / 100
        raise DrawError(
            f"at scale {scale:g} this picture has {width} x {height} pixels, more than a PNG may have here; take a"
            f" scale of at most {fits:g}, or an .html or .svg, which have no pixels"
        )
    try:
        library = importlib.import_module("loopwright.graphs.draw.raster")
    except ModuleNotFoundError as error:
        raise DrawError(
            f"a PNG needs the extra png ({error.name} is missing): pip install 'loopwright[png]'"
        ) from error
    made: bytes = library.raster(svg, scale)
    return made
