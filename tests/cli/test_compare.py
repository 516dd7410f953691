"""`loopwright compare` from outside: its words, its files, its codes, and how it goes on."""

import csv
import json
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.cli.exits import WrongUse
from loopwright.cli.subjects import contenders_at
from loopwright.state.store.store import Store
from loopwright.testing.model_server import ModelServer, Trouble

STORE = "sqlite:.loopwright/runs.db"
LIMIT = 60.0
"""Seconds after which a process that says nothing has failed the test."""

FORM = """\
kind: graph
name: {name}
channels: {{sum: {{type: str, input: true}}, said: str}}
result: said
nodes:
  {node}: {{type: think, prompt: "<{{sum}}>", writes: said}}
edges:
  - {node} -> end said
{more}"""

JUDGE = """\
kind: graph
name: judge
channels: {answer: {type: str, input: true}, problem: {type: str, input: true}, score: int}
result: score
nodes:
  rate: {type: think, prompt: "<{problem}> is <{answer}>? 1 to 10", output: int, writes: score}
edges:
  - rate -> end rated
"""

CHECKS = "def right(result, expected):\n    return result == expected\n\n\ndef bad(result):\n    return result\n"


@pytest.fixture
def files(place: Path) -> Path:
    (place / "short.yaml").write_text(FORM.format(name="short", node="say", more=""))
    (place / "long.yaml").write_text(FORM.format(name="long", node="think_first", more=""))
    (place / "script.yaml").write_text("say: ['4']\nthink_first: ['5']\n")
    (place / "checks.py").write_text(CHECKS)
    (place / "judge.yaml").write_text(JUDGE)
    (place / "judge.script.yaml").write_text("rate: [8]\n")
    (place / "sums.csv").write_text("sum,expected\n" + "".join(f"{n}+{4 - n},4\n" for n in range(7)))
    return place


GIVEN = ("compare", "short.yaml", "long.yaml", "--problems", "sums.csv")
CHECKED = (*GIVEN, "--check", "checks.py:right", "--script", "script.yaml")


def test_a_comparison_is_told_in_two_tables(loopwright: Any, files: Path) -> None:
    done = loopwright(*CHECKED)
    (id,) = set(re.findall("batch ([0-9a-f]{8})", done.out))
    assert (done.code, done.err) == (0, "")
    lines = [re.sub(r" +\d\.\d\d +\d\.\d\d$", "", line) for line in done.out.splitlines()]
    assert lines == [
        f"batch {id}: 14 runs of 2 contenders",
        "14 of 14 runs; so far short 1, long 0",
        "",
        f"batch {id}: 7 problems",
        "contender  quality  95 % interval  answered  calls  at most  seconds  9 of 10 within",
        "short      1.00     0.59 to 1.00   7 of 7    1      1",
        "long       0.00     0.00 to 0.41   7 of 7    1      1",
        "",
        "pair          difference  interval      problems  what is shown",
        "short - long  +1.00       0.37 to 1.00  7         short is better",
        "The interval is for the paired difference, and holds the true one in 95 of 100 comparisons.",
        "",
        "Note: each run begins its script anew (short, long): every problem gets the same replies",
    ]
    with Store(STORE) as store:
        rows = store.registry.batch(id)
    assert {row.name for row in rows} == {"short", "long"}
    assert {row.status for row in rows} == {"finished"}


def test_files_are_written_and_json_is_one_document(loopwright: Any, files: Path) -> None:
    names = ("runs.csv", "all.json", "plot.svg", "plot.html", "plot.png")
    done = loopwright(*CHECKED, *(word for name in names for word in ("-o", name)), "--json")
    assert (done.code, all(Path(name).stat().st_size > 300 for name in names)) == (0, True)
    data = json.loads(done.out)
    assert data == json.loads(Path("all.json").read_text())
    assert data["pairs"][0]["better"] == "short"
    with Path("runs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["run"] for row in rows] == [row["run"] for row in data["rows"]]
    assert done.err.count("wrote ") == 5


def test_a_narrow_terminal_has_fewer_columns(loopwright: Any, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    done = loopwright(*CHECKED)
    tables = done.out.partition("problems\n")[2].partition("The interval")[0]
    assert max(map(len, tables.splitlines())) <= 70
    assert "left out, as the window is narrow: at most\n" in tables
    assert "short is better" in tables


def test_a_judge_judges_with_a_model_of_its_own(loopwright: Any, files: Path) -> None:
    words = (*GIVEN, "--script", "script.yaml", "--judge", "judge.yaml", "--repeat", "2", "--at-once", "3")
    done = loopwright(*words)
    assert (done.code, done.err.partition(";")[0]) == (
        2,
        "error: the judge: no model is given for 'default': give model= or models= (--model or --script on the command"
        " line), or name it under the plan's models",
    )
    done = loopwright(*words, "--judge-script", "judge.script.yaml")
    assert (done.code, done.err) == (0, "")
    assert "\n28 of 28 runs\n14 judgements\n14 of 14 judgements\n" in done.out
    assert "The judge, counted apart: 14 judgements, 14 calls." in done.out
    assert "short - long  +0.00       0.00 to 0.00  7         no difference shown" in done.out


def test_what_has_no_answer_is_told_and_asked_again(loopwright: Any, files: Path) -> None:
    Path("script.yaml").write_text("say: ['4']\nthink_first: [{error: '503'}]\n")
    done = loopwright(*CHECKED)
    assert (done.code, done.err) == (1, "")
    assert len(re.findall("^no answer: long, problem [1-7], run [0-9a-f]{8}: think_first: 503$", done.out, re.M)) == 7
    assert "Note: 7 runs have no answer and are scored 0: long suspended 7" in done.out
    id = re.findall("^batch ([0-9a-f]{8}): 7", done.out, re.M)[0]
    (line,) = re.findall("^Ask again where a run is suspended with:\n  loopwright (.*)$", done.out, re.M)
    assert line == (
        "compare short.yaml long.yaml --problems sums.csv --check checks.py:right --script script.yaml"
        f" --batch {id} --again"
    )
    Path("script.yaml").write_text("say: ['4']\nthink_first: ['4']\n")
    again = loopwright(*shlex.split(line))
    assert (again.code, again.err) == (0, "")
    assert again.out.startswith(f"batch {id}: 14 runs of 2 contenders, 7 of them to be done\n")
    assert "no difference shown" in again.out


def test_what_could_not_be_scored_is_scored_again(loopwright: Any, files: Path) -> None:
    done = loopwright(*GIVEN, "--check", "checks.py:bad", "--script", "script.yaml", "--no-answer", "leave-out")
    assert (done.code, done.err) == (1, "")
    fault = "checks.py:5: bad returned '4', which is no number"
    assert f"\n  {fault} (problem 1, run " in done.out
    assert done.out.count(fault) == 2
    (line,) = re.findall("^Score it again with:\n  loopwright (.*)$", done.out, re.M)
    assert " --no-answer leave-out " in line
    again = loopwright(*shlex.split(line.replace(":bad", ":right")))
    assert (again.code, again.err) == (0, "")
    assert again.out.splitlines()[0].endswith(": 14 runs of 2 contenders, 0 of them to be done")
    assert "short is better" in again.out


def test_a_budget_holds_for_every_run_and_is_said_again(loopwright: Any, files: Path) -> None:
    long = FORM.format(name="long", node="think_first", more="")
    Path("long.yaml").write_text(
        long.replace(
            "edges:", '  say: {type: think, prompt: "<{sum}>", writes: said}\nedges:\n  - think_first -> say'
        ).replace("think_first -> end", "say -> end")
    )
    done = loopwright(*CHECKED)
    assert "(short 1, long 2)" in done.out
    done = loopwright(*CHECKED, "--budget", "calls=1", "--budget", "tokens=1000")
    assert (done.code, done.err) == (1, "")
    assert "Note: 7 runs have no answer and are scored 0: long suspended over budget 7" in done.out
    assert "different numbers of calls" not in done.out
    assert done.out.endswith(
        "\nWhere a budget is spent, asking again does not help. Give a new comparison more of it:\n  loopwright"
        " compare short.yaml long.yaml --problems sums.csv --check checks.py:right"
        " --budget calls=1 --budget tokens=1000 --script script.yaml\n"
    )
    assert loopwright(*CHECKED, "--budget", "cals=1").err.startswith(
        "error: --budget cals=1: there is no budget 'cals'"
    )


def test_the_types_of_a_brain_are_contenders(loopwright: Any, files: Path) -> None:
    (files / "brain.yaml").write_text('kind: brain\ntype: single_eval\nprompt: "<{sum}>"\nn: 2\n')
    (files / "brain.script.yaml").write_text(
        "decide: ['5']\ngenerate: [{options: ['4', '5']}]\njudge: [{rating: 9}, {rating: 2}]\nrepeat: last\n"
    )
    words = ("compare", "brain.yaml", "--as", "zero_shot,multi_eval", *CHECKED[3:7], "--script", "brain.script.yaml")
    told = json.loads(loopwright(*words, "--json").out)
    assert [(each["name"], each["quality"]["mean"], each["calls"]) for each in told["contenders"]] == [
        ("zero_shot", 0, 1),
        ("multi_eval", 1, 3),
    ]
    less = loopwright(*words, "--budget", "calls=2")
    assert less.code == 1
    assert "Note: 7 runs have no answer and are scored 0: multi_eval suspended over budget 7" in less.out
    assert " --as zero_shot,multi_eval --budget calls=2 --script brain.script.yaml\n" in less.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("compare", "short.yaml", "--problems", "sums.csv", "--check", "checks.py:right"), "at least two contenders"),
        (GIVEN, "by --check FILE.py:NAME or by --judge FILE, and by one of them"),
        ((*CHECKED, "--judge", "judge.yaml"), "and by one of them"),
        ((*CHECKED, "--again"), "--again is for runs of a comparison that is there"),
        ((*CHECKED, "--batch", "b7c0"), "there is no batch 'b7c0'"),
        ((*CHECKED, "-o", "plot.pdf"), "plot.pdf: a comparison is not written as .pdf"),
        ((*CHECKED, "-o", "plots/plot.svg"), "plots/plot.svg: there is no folder plots"),
        ((*CHECKED, "--no-answer", "none"), "--no-answer none: a number, or leave-out"),
        ((*CHECKED, "--repeat", "0"), "greater than or equal to 1"),
        (
            (*CHECKED, "--judge-model", "m", "--judge-script", "s.yaml"),
            "--judge-model and --judge-script both say who answers",
        ),
        ((*GIVEN, "--check", "checks.py:rihgt", "--script", "script.yaml"), "did you mean 'right'?"),
        ((*GIVEN, "--check", "checks.py:right", "--model", "gpt-4o-mini"), "OPENAI_API_KEY is not set"),
        ((*CHECKED, "short.yaml"), "short.yaml is given twice; contenders differ"),
        (("compare", "a.yaml", "b.yaml", "--problems", "sums.csv", "--check", "checks.py:right"), "no such file"),
        ((*CHECKED[:4], "sums.cvs", *CHECKED[5:]), "a file of problems needs another suffix"),
        ((*CHECKED, "--as", "one,one"), "--as one,one: write each type once"),
        ((*CHECKED, "loops.py:loop", "--as", "one,two"), "--as is for files, and loops.py:loop is made in Python"),
        ((*CHECKED, "--as", "one,two"), "short.yaml:1: type: "),
    ],
)
def test_wrong_use_is_told_before_anything_is_started(
    loopwright: Any, files: Path, words: tuple[str, ...], said: str
) -> None:
    done = loopwright(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert said in done.err
    assert not Path(".loopwright").exists() or list(Store(STORE).registry.all()) == []


def test_all_faults_of_problems_are_told(loopwright: Any, files: Path) -> None:
    Path("sums.yaml").write_text("- sum: 3\n- {smu: 1+1}\n- word\n")
    done = loopwright(*GIVEN[:4], "sums.yaml", *CHECKED[5:])
    assert done.err.splitlines() == [
        'error: sums.yaml:1: 0.sum: 3 is not of type "string" (short takes str)',
        "sums.yaml:2: 1.smu: there is no input 'smu' (did you mean 'sum'? there are: expected, name, sum)",
        "sums.yaml:2: 1: input 'sum' is missing (needed by short, long)",
        "sums.yaml:3: 2: expected a mapping, from inputs to values",
    ]


def test_names_are_never_obeyed(loopwright: Any, files: Path) -> None:
    Path("p.json").write_text(json.dumps([{"sum": "1+1", "name": "<b>\x1b[2J</b>", "expected": "4"}]))
    Path("script.yaml").write_text("say: [{error: '503'}]\nthink_first: ['4']\n")
    done = loopwright(*GIVEN[:4], "p.json", *CHECKED[5:], "-o", "page.html")
    assert done.code == 1
    assert "\x1b" not in done.out
    assert "no answer: short, problem <b>\ufffd[2J</b>, run " in done.out
    assert "<b>" not in Path("page.html").read_text()


def test_contenders_are_called_after_their_files(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("sub").mkdir()
    Path("sub/short.yaml").write_text(Path("short.yaml").read_text())
    Path("mine.py").write_text("import loopwright as lw\nfirst = lw.load('short.yaml')\n")
    assert [*contenders_at(["short.yaml", "long.yaml", "mine.py:first"])] == ["short", "long", "first"]
    assert [*contenders_at(["short.yaml", "sub/short.yaml"])] == ["short.yaml", "sub/short.yaml"]
    with pytest.raises(WrongUse, match="write each type once"):
        contenders_at(["short.yaml"], "one,,two")


def test_resume_goes_on_with_the_runs_of_a_comparison(loopwright: Any, files: Path) -> None:
    Path("script.yaml").write_text("say: [{error: '503'}]\nthink_first: ['4']\n")
    id = re.findall("^batch ([0-9a-f]{8})", loopwright(*CHECKED).out, re.M)[0]
    Path("good.yaml").write_text("say: ['4']\n")
    done = loopwright("resume", "--batch", id, "--script", "good.yaml")
    assert (done.code, done.err) == (0, "")
    done = loopwright(*CHECKED, "--batch", id, "-o", "runs.csv")
    assert (done.code, done.err) == (0, "")
    assert f"batch {id}: 14 runs of 2 contenders, 0 of them to be done" in done.out
    done = loopwright(*CHECKED, "--batch", id, "--repeat", "2")
    assert (done.code, done.err) == (
        2,
        f"error: 'short' asked scripted (good.yaml) in batch {id}, and asks scripted (script.yaml) now: its runs"
        " are left as they are. Compare it under another name, or start a new comparison\n",
    )


SERVED = "models: {{default: {{model: m, base_url: '{url}', api_key_env: '', retries: 0}}}}\n"


def stopped_while_it_asks(server: ModelServer, asked: int, stop: signal.Signals) -> tuple[int, str]:
    """The comparison in a process of its own, which is stopped while the model hangs."""
    words = [sys.executable, "-m", "loopwright", *GIVEN, "--check", "checks.py:right", "--at-once", "2"]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as run:
        limit = time.monotonic() + LIMIT
        while len(server.requests) < asked:
            assert time.monotonic() < limit, "the model was not asked"
            time.sleep(0.02)
        run.send_signal(stop)
        out = run.communicate(timeout=LIMIT)[0]
    return run.returncode, out


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_is_stopped_or_killed_goes_on_and_pays_nothing_twice(files: Path, stop: signal.Signals) -> None:
    with ModelServer(["4"] * 5 + [Trouble(hang=True)] * 2 + ["4"] * 9) as server:
        for name, node in (("short", "say"), ("long", "think_first")):
            served = SERVED.format(url=server.base_url)
            Path(f"{name}.yaml").write_text(FORM.format(name=name, node=node, more=served))
        code, out = stopped_while_it_asks(server, 7, stop)
        (id,) = set(re.findall("batch ([0-9a-f]{8})", out)) or {only_batch()}
        with Store(STORE) as store:
            assert sum(row.status == "finished" for row in store.registry.batch(id)) == 5
        line = f"compare short.yaml long.yaml --problems sums.csv --check checks.py:right --at-once 2 --batch {id}"
        if stop != signal.SIGKILL:
            assert code == 130
            assert out.endswith(f"interrupted, and nothing that was done is lost\n\nGo on with:\n  loopwright {line}\n")
        words = [sys.executable, "-m", "loopwright", *shlex.split(line)]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=LIMIT)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(server.requests) == 7 + 9
    assert done.stdout.startswith(f"batch {id}: 14 runs of 2 contenders, 9 of them to be done\n")
    assert "no difference shown" in done.stdout


def only_batch() -> str:
    with Store(STORE) as store:
        (id,) = {row.batch for row in store.registry.all()}
    return id
