"""Names become letters that can be drawn."""

import pytest

from loopwright.graphs.draw.lettering import LONGEST, columns_of, shorten, text_width, visible


def test_characters_without_a_shape_are_marked() -> None:
    assert visible("a\x00b\x1b[31m\u202ec\ud800") == "a\ufffdb\ufffd[31m\ufffdc\ufffd"


def test_line_breaks_are_spaces() -> None:
    assert visible("a\nb\tc\r\u2028d") == "a b c  d"


def test_letters_of_all_scripts_stay() -> None:
    assert visible("שלום 日本語 é 🎉") == "שלום 日本語 é 🎉"


def test_a_long_text_loses_its_middle_only() -> None:
    assert shorten("a" * LONGEST) == "a" * LONGEST
    assert shorten("0123456789", 7) == "012…789"
    assert len(shorten("x" * 300)) == LONGEST


def test_wide_letters_are_wider() -> None:
    assert text_width("iii") < text_width("aaa") < text_width("mmm") < text_width("日本語")
    assert text_width("e\u0301") == text_width("e")
    assert text_width("aaa", 26) == 2 * text_width("aaa", 13)


@pytest.mark.parametrize(("text", "columns"), [("", 0), ("abc", 3), ("漢字", 4), ("e\u0301", 1), ("ｱ", 1)])
def test_columns(text: str, columns: int) -> None:
    assert columns_of(text) == columns
