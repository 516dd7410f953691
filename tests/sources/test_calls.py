"""Functions that a file names: found in Python files and modules, and whatever goes wrong with them in one line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.errors import SourceError
from loopwright.graphs.forms.spec import Refused
from loopwright.sources.calls import Modules, function_at

TOOLS = "import json\n\n\nclass Pen:\n    @staticmethod\n    def tidy(text):\n        return text\n\n\nSIZE = 3\n"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Path]:
    before, known = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = before
    for name in set(sys.modules) - known:
        del sys.modules[name]


def refused(here: Path, text: str, name: str = "tidy", file: str = "tools.py") -> str:
    (here / "tools.py").write_text(text)
    with pytest.raises(Refused) as caught:
        Modules().of_file(here / file, name)
    return f"{caught.value} ({caught.value.hint})".replace(str(here), "HERE")


def test_a_function_of_a_file_and_of_a_class_in_it(here: Path) -> None:
    (here / "tools.py").write_text(TOOLS)
    assert Modules().of_file(here / "tools.py", "Pen.tidy")("x") == "x"


def test_a_file_is_run_once_in_a_loading_and_anew_in_the_next(here: Path) -> None:
    (here / "tools.py").write_text("def tidy(): return 1\n")
    modules = Modules()
    first = modules.of_file(here / "tools.py", "tidy")
    (here / "tools.py").write_text("def tidy(): return 'changed'\n")
    assert modules.of_file(here / "tools.py", "tidy") is first
    assert Modules().of_file(here / "tools.py", "tidy")() == "changed"


def test_a_module_is_found_as_python_does_and_in_the_folder(here: Path) -> None:
    (here / "beside_this_spec.py").write_text("def tidy(): return 1\n")
    assert Modules().of_module("beside_this_spec", "tidy", here)() == 1
    assert Modules().of_module("json", "loads", here)("1") == 1
    assert Modules().of_module("os.path", "join", here)("a", "b") == "a/b"


def test_files_beside_it_can_be_imported_by_it(here: Path) -> None:
    (here / "words_of_this_spec.py").write_text("WORD = 'oak'\n")
    (here / "tools.py").write_text("from words_of_this_spec import WORD\ndef tidy(): return WORD\n")
    assert Modules().of_file(here / "tools.py", "tidy")() == "oak"


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        (TOOLS, "Pen.tidi", "HERE/tools.py has no 'Pen.tidi' (there is only Pen)"),
        (TOOLS, "pen", "HERE/tools.py has no 'pen' (did you mean 'Pen'? there is only Pen)"),
        ("", "tidy", "HERE/tools.py has no 'tidy' (it has no functions)"),
        (TOOLS, "SIZE", "'SIZE' of HERE/tools.py is no function, but of type int ()"),
        (
            "\n\n1 / 0\n",
            "tidy",
            "HERE/tools.py cannot be imported: ZeroDivisionError: division by zero (tools.py, line 3) ()",
        ),
        ("def f(:\n", "f", "HERE/tools.py cannot be imported: invalid syntax (tools.py, line 1) (mend it there)"),
        (
            "import not_there_at_all\n",
            "tidy",
            "HERE/tools.py cannot be imported: ModuleNotFoundError: No module named 'not_there_at_all' "
            "(tools.py, line 1) ()",
        ),
        ("raise SystemExit\n", "tidy", "HERE/tools.py cannot be imported: SystemExit (tools.py, line 1) ()"),
    ],
)
def test_what_goes_wrong_is_told_in_a_line(here: Path, text: str, name: str, told: str) -> None:
    assert refused(here, text, name) == told


def test_no_such_file_or_module(here: Path) -> None:
    assert refused(here, TOOLS, file="tols.py") == (
        "there is no file HERE/tols.py (did you mean 'tools.py'? there is only tools.py)"
    )
    assert refused(here, TOOLS, file="sub/tools.py") == (
        "there is no file HERE/sub/tools.py (no Python file is in HERE/sub)"
    )
    assert refused(here, TOOLS, file=f"{'x' * 300}.py").startswith("there is no file HERE/xxx")
    with pytest.raises(Refused) as caught:
        Modules().of_module("not_there_at_all.tools", "tidy", here)
    assert (str(caught.value), caught.value.hint) == (
        "there is no module 'not_there_at_all'",
        "a Python file beside this one is named with its .py, as in tools.py:tidy",
    )


def test_what_is_printed_while_importing_leaves_standard_output_alone(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "tools.py").write_text("print('hello')\ndef tidy(): pass\n")
    Modules().of_file(here / "tools.py", "tidy")
    assert tuple(capsys.readouterr()) == ("", "hello\n")


def test_a_command_names_a_function(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    (here / "checks_of_a_test.py").write_text("def right(): return True\n")
    assert function_at("checks_of_a_test.py:right")()
    assert function_at("checks_of_a_test:right")()
    for text, said in [
        ("checks_of_a_test.py", "'checks_of_a_test.py' does not name a function (as in tools.py:check"),
        ("checks_of_a_test.py:rihgt", "checks_of_a_test.py has no 'rihgt' (did you mean 'right'?"),
        ("check_of_a_test.py:right", "there is no file check_of_a_test.py (did you mean 'checks_of_a_test.py'?"),
        ("no_such_module:right", "there is no module 'no_such_module'"),
    ]:
        with pytest.raises(SourceError) as error:
            function_at(text)
        assert str(error.value).startswith(said)
