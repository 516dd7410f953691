"""PNG: the size asked for, text where no fonts are, and clear words where it cannot be made."""

import importlib
from typing import Any

import pytest

from loopwright.errors import DrawError
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.png import png_of
from loopwright.graphs.plan import Plan

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20.5"/>'


def size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


@pytest.mark.parametrize(("scale", "wanted"), [(1.0, (40, 21)), (2.0, (80, 42)), (0.5, (20, 11))])
def test_the_scale_is_kept(scale: float, wanted: tuple[int, int]) -> None:
    assert size(png_of(SVG, scale)) == wanted


def test_themes_and_legends_are_drawn(role_cycle: Plan) -> None:
    plain = picture(role_cycle, "png")
    assert plain != picture(role_cycle, "png", theme="dark")
    assert size(picture(role_cycle, "png", legend=True)) > size(plain)


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf")])
def test_a_scale_that_is_none(scale: float) -> None:
    with pytest.raises(DrawError, match=r"^scale is .+; it is a number above 0: pixels for each pixel of the SVG$"):
        png_of(SVG, scale)


def test_a_picture_that_is_too_large_says_what_fits() -> None:
    with pytest.raises(DrawError, match=r"has 80000 x 40000 pixels.* at most 0\.38, or an \.html or \.svg"):
        png_of('<svg width="40000" height="20000"/>')


def test_without_the_extra_the_line_that_installs_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> Any:
        raise ModuleNotFoundError("No module named 'resvg_py'", name="resvg_py")

    monkeypatch.setattr(importlib, "import_module", absent)
    with pytest.raises(DrawError) as caught:
        png_of(SVG)
    assert str(caught.value) == "a PNG needs the extra png (resvg_py is missing): pip install 'loopwright[png]'"
