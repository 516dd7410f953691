"""`loopwright convert`: another system's own configuration as a loop."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from loopwright.cli.documents import fault_document
from loopwright.cli.exits import OK, WrongUse
from loopwright.cli.options import AsJson
from loopwright.cli.output import console_on, print_json, write_out
from loopwright.cli.phrases import harmless
from loopwright.documents.files import SUFFIXES, read_text, write_file
from loopwright.hints import did_you_mean
from loopwright.sources.autogen.read import convert_autogen
from loopwright.sources.conversion import Conversion, Reader
from loopwright.sources.ensonet import convert_ensonet
from loopwright.sources.genworlds import convert_genworlds
from loopwright.sources.neurobdsm import convert_neurobdsm


@dataclass(frozen=True, slots=True)
class System:
    """A system whose configurations can be read.

    Args:
        reader: Reads one.
        suffixes: What the names of its files end in.
    """

    reader: Reader
    suffixes: tuple[str, ...]


SYSTEMS: Mapping[str, System] = {
    "autogen": System(convert_autogen, (".json", ".yaml", ".yml", ".py")),
    "ensonet": System(convert_ensonet, SUFFIXES),
    "genworlds": System(convert_genworlds, (".yaml", ".yml")),
    "neurobdsm": System(convert_neurobdsm, (".py",)),
}
"""The systems by the words that name them on the command line."""

YAML_SUFFIXES = (".yaml", ".yml")


def complete_system(incomplete: str) -> list[str]:
    """The systems, for the completion of a shell."""
    return [system for system in SYSTEMS if system.startswith(incomplete)]


def convert(
    system: Annotated[
        str,
        typer.Argument(
            metavar="SYSTEM",
            help=f"Whose configuration it is: {', '.join(SYSTEMS)}.",
            autocompletion=complete_system,
            show_default=False,
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The configuration. It is not run.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Write it there, as YAML.", show_default=False)
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: AsJson = False,
) -> int:
    """Convert another system's own configuration to a loop in YAML, which makes the calls that the original makes.

    Nothing in the file is run, and no key is copied. Without -o the YAML goes to standard output. What was left out, or
    is otherwise than it was, is told on standard error.

      $ loopwright convert neurobdsm cfg.py
      $ loopwright convert neurobdsm cfg.py -o roles.yaml
      $ loopwright convert neurobdsm cfg.py -o roles.yaml --force
      $ loopwright convert ensonet agent.json -o channel.yaml
      $ loopwright convert genworlds world_definition.yaml -o world.yaml
      $ loopwright convert autogen team.json -o team.yaml
    """
    if system not in SYSTEMS:
        raise WrongUse(f"there is no system {system!r} that can be converted ({did_you_mean(system, SYSTEMS)})")
    if out is not None:
        _require_free(out, force=force)
    chosen = SYSTEMS[system]
    made = chosen.reader(read_text(file, chosen.suffixes), str(file))
    if out is not None:
        _write(out, made.to_yaml())
    if as_json:
        notes = [fault_document(note) for note in made.notes]
        print_json({"system": system, "file": str(out) if out else None, "spec": made.data, "notes": notes})
    else:
        _say(made, out)
    return OK


def _require_free(out: Path, *, force: bool) -> None:
    """Refuse a place where nothing is to be written.

    Raises:
        WrongUse: It is no YAML file, or something is there and is not to be written over.
    """
    if out.suffix.lower() not in YAML_SUFFIXES:
        raise WrongUse(f"{out}: a loop is written as YAML, to a file that ends in {' or '.join(YAML_SUFFIXES)}")
    if os.path.lexists(out) and not force:
        raise WrongUse(f"{out} is there already, and was left as it is; --force writes over it")


def _write(out: Path, text: str) -> None:
    try:
        write_file(out, text)
    except OSError as error:
        raise WrongUse(f"{out}: cannot be written: {error.strerror or error}") from error


def _say(made: Conversion, out: Path | None) -> None:
    for note in made.notes:
        console_on(stderr=True).print(harmless(f"note: {note}"), soft_wrap=True, style="yellow")
    write_out(f"wrote {out}\n" if out else made.to_yaml())
