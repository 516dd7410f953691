"""`loopwright migrate`: lead the runs of a store on to a plan that has changed."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from loopwright.cli.exits import LEFT, OK, WrongUse
from loopwright.cli.options import AsJson, StoreUrl, Subject
from loopwright.cli.output import Output
from loopwright.cli.pairs import parse_pairs
from loopwright.cli.phrases import counted, harmless
from loopwright.cli.subjects import loop_at
from loopwright.documents.files import read_file
from loopwright.errors import SourceError
from loopwright.graphs.draw.lettering import visible
from loopwright.graphs.migrate.migration import RENAMED, Migration
from loopwright.graphs.plan import Plan
from loopwright.graphs.run.changed import GROUPS, Group, Looked
from loopwright.graphs.run.changed import migrate as migrated
from loopwright.hints import did_you_mean
from loopwright.state.store.database import DEFAULT_STORE
from loopwright.state.store.store import Store

LISTED = 12
"""Runs that are named where several have the same fate."""

_WORDS: Mapping[Group, str] = {
    "safe": "safe",
    "needs migration": "needs migration",
    "breaking": "breaking, left as they are",
    "running": "being run, left alone",
    "unreadable": "unreadable, left as they are",
    "same": "of this plan already",
    "ended": "ended, and keep the plan that they were run with",
}


def migrate(
    subject: Subject,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    rename: Annotated[
        list[str] | None,
        typer.Option(
            "--rename",
            metavar="PART:OLD=NEW",
            help="What a node, channel, bound or end is called now; of a channel or a bound nothing, to drop what it "
            "holds. May be given again.",
        ),
    ] = None,
    default: Annotated[
        list[str] | None,
        typer.Option(
            "--default",
            metavar="NAME=VALUE",
            help="What a channel holds where nothing is in it, or what is does not fit. May be given again.",
        ),
    ] = None,
    declared: Annotated[
        Path | None,
        typer.Option("--declared", metavar="FILE", help="A YAML file with all of that.", show_default=False),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            "--name", metavar="NAME", help="What the plan was called, where that was another name.", show_default=False
        ),
    ] = "",
    store: StoreUrl = DEFAULT_STORE,
    as_json: AsJson = False,
) -> int:
    """Lead all runs of a store that were started from this plan on to the plan as it is now.

    Each run is classified by where it stands: safe, in need of a migration, or breaking. What is called otherwise now
    is declared; a run that waits goes on waiting, with its visits and its answers. Each run is written whole or not at
    all, and one that cannot go on is left as it is.

    $ loopwright migrate letter.yaml --dry-run
    $ loopwright migrate letter.yaml
    $ loopwright migrate letter.yaml --rename node:look=approve
    $ loopwright migrate letter.yaml --rename channel:mood= --default tone=plain
    $ loopwright migrate letter.yaml --declared renamed.yaml --json
    """
    output = Output(as_json=as_json)
    loop = loop_at(subject)
    migration = _declared(loop.plan, rename or [], default or [], declared)
    with Store(store, create=False) as opened:
        names = Counter(row.name for row in opened.registry.all())
        wanted = name or loop.plan.name
        total = names.pop(wanted, 0)
        looked = list(_told(migrated(opened, loop, migration, name=name, dry_run=dry_run), total, output))
    _say(looked, loop.plan, names, output, dry_run=dry_run)
    output.document(
        {
            "store": store,
            "plan": loop.plan.name,
            "fingerprint": loop.plan.fingerprint,
            "dry_run": dry_run,
            "counts": dict(Counter(each.group for each in looked)),
            "runs": [asdict(each) for each in looked],
            "others": dict(names),
        }
    )
    return LEFT if any(_is_left(each) for each in looked) else OK


def _told(looked: Iterator[Looked], total: int, output: Output) -> Iterator[Looked]:
    """The runs as they are looked at; a terminal shows how far that is."""
    if not output.console.is_terminal:
        yield from looked
        return
    with output.console.status("") as status:
        for count, each in enumerate(looked, 1):
            status.update(f"{count:,} of {counted(total, 'run')}")
            yield each


def _is_left(looked: Looked) -> bool:
    return looked.group in ("breaking", "running", "unreadable") or (
        looked.group == "needs migration" and not looked.goes_on
    )


def _say(looked: list[Looked], plan: Plan, others: Mapping[str, int], output: Output, *, dry_run: bool) -> None:
    for group in GROUPS:
        mine = [each for each in looked if each.group == group]
        if mine:
            output.say(f"{_WORDS[group]}: {counted(len(mine), 'run')}", "red" if _is_left(mine[0]) else "bold")
            _say_group(mine, output)
    if others:
        names = ", ".join(f"{visible(name)} ({count:,})" for name, count in others.items())
        output.say(f"of other plans: {names}", "dim")
    if not looked:
        output.say(f"no run was started from a plan called {plan.name!r}; --name says what it was called")
        return
    moved, left = sum(each.goes_on for each in looked), sum(map(_is_left, looked))
    if dry_run:
        would = f" Without --dry-run {counted(moved, 'run')} would get the plan of now." if moved else ""
        output.say(f"\nNothing was written.{would}")
    else:
        output.say(f"\n{counted(sum(each.done for each in looked), 'run')} got the plan of now.")
    if left:
        output.say(f"{counted(left, 'run')} {'is' if left == 1 else 'are'} left with the plan of before.")


def _say_group(looked: Iterable[Looked], output: Output) -> None:
    """The runs of a group, those together for which the same holds."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for each in looked:
        words = each.reasons or each.changes
        alike.setdefault(words, []).append(each.run)
    for words, runs in alike.items():
        more = f" and {len(runs) - LISTED:,} more" if len(runs) > LISTED else ""
        output.say(f"  {', '.join(runs[:LISTED])}{more}")
        for line in words:
            output.say(f"    {harmless(line)}", "dim")


def _declared(plan: Plan, renames: list[str], defaults: list[str], file: Path | None) -> Migration:
    """What is declared: by a file, and by the options, which count over it.

    Raises:
        WrongUse: An option is none; all that are wrong are told.
        SourceError: The file is none.
    """
    migration = _of_file(file) if file else Migration()
    parts: dict[str, dict[str, Any]] = {part: dict(getattr(migration, part)) for part in RENAMED}
    singular = {part.removesuffix("s"): part for part in RENAMED}
    faults = []
    for text in renames:
        part, colon, names = text.partition(":")
        old, sign, new = names.partition("=")
        if not colon or not sign or not old:
            faults.append(f"--rename {text}: write it as PART:OLD=NEW, as node:look=approve")
        elif part not in singular:
            faults.append(f"--rename {text}: there is no part {part!r} ({did_you_mean(part, singular)})")
        elif not new and part not in ("channel", "bound"):
            faults.append(f"--rename {text}: only what a channel or a bound holds can be dropped")
        else:
            parts[singular[part]][old] = new or None
    if faults:
        raise WrongUse("; ".join(faults))
    given = parse_pairs("--default", "channel", plan.channels, defaults)
    made: dict[str, Any] = {**parts, "defaults": {**migration.defaults, **given}}
    return replace(migration, **made)


def _of_file(file: Path) -> Migration:
    document = read_file(file)
    try:
        return Migration.from_data(document.data)
    except SourceError as error:
        raise SourceError(document.located(error.faults)) from error
