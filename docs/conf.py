"""The documents as a site: `make docs` builds it. The pages are plain Markdown, which reads well without it.

Three things are said here, so that no page has to be written for Sphinx: what leads where (from the links of index.md),
the reference of Python (from `__all__` and the docstrings), and that a docstring's `name` is code.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx
from sphinx.ext.napoleon.docstring import GoogleDocstring

import loopwright
import loopwright.testing

DOCS = Path(__file__).parent
INIT = Path(inspect.getsourcefile(loopwright) or "")

project = "loopwright"
author = "the authors of loopwright"
version = release = loopwright.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!loopwright\.\w+$).*")]
"""What is public has to be there; what types are made of inside has no page."""

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_title = f"loopwright {version}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {"light_css_variables": {"font-stack": "system-ui, sans-serif"}}

myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
maximum_signature_line_length = 88
smartquotes = False

HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\(([\w/-]+)\.md(?:#[\w-]+)?\)")
REST, REFERENCE = "By task", "To look up"
"""The groups of index.md that take the pages which index.md does not link to."""

NAME = re.compile(r"(?<!`)`(?P<name>[^`]+)`(?!`)(?P<ending>s?)")
LONG_CHOICE = re.compile(r"~?(?:typing\.)?Literal\[[^]]{200,}\]")
ANNOTATED = re.compile(r"~?(?:typ\w+\.)?Annotated\[")


def linked(index: str) -> dict[str, list[str]]:
    """The pages that each group of index.md links to, each page once."""
    _, *parts = HEADING.split(index)
    seen: set[str] = set()
    groups: dict[str, list[str]] = {}
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        pages = [page for page in dict.fromkeys(LINK.findall(text)) if page not in seen]
        seen.update(pages)
        groups[title] = pages
    return groups


def tree(index: str, there_are: list[str]) -> str:
    """The tree of pages, as Sphinx wants it said at the end of index.md."""
    groups = linked(index)
    known = {page for pages in groups.values() for page in pages}
    for page in there_are:
        if page not in known:
            groups[REFERENCE if page.startswith("reference/") else REST].append(page)
    trees = (f"```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) for title, pages in groups.items())
    return "\n\n".join(f"{each}\n```" for each in trees)


def groups_of_names() -> Iterator[tuple[str, list[str]]]:
    """The public names, in the groups that the comments in `__all__` make of them."""
    source = INIT.read_text(encoding="utf-8")
    (stated,) = (
        part.value
        for part in ast.parse(source).body
        if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == "__all__"
    )
    group: list[str] = []
    title = ""
    for line in (ast.get_source_segment(source, stated) or "").splitlines():
        if comment := re.match(r"\s*# (.+)", line):
            if group:
                yield title, group
            title, group = comment[1], []
        group += re.findall(r'"(\w+)"', line)
    yield title, group


def described(name: str) -> str:
    """The directive that describes a public name from its docstring."""
    module, _, last = name.rpartition(".")
    value = getattr(loopwright.testing if module.endswith("testing") else loopwright, last)
    if not isinstance(value, type):
        return (
            f".. autofunction:: {name}" if callable(value) else f".. py:data:: {name}\n   :type: str\n\n   The version."
        )
    if issubclass(value, Exception):
        return f".. autoexception:: {name}\n   :members:\n   :show-inheritance:"
    hidden = [base for base in value.__bases__ if base.__module__.startswith("loopwright") and not is_public(base)]
    public = [base.__name__ for base in value.__mro__[1:] if is_public(base)]
    inherited = f"\n   :inherited-members: {' '.join(public[:1])}" if hidden else ""
    return f".. autoclass:: {name}\n   :members:{inherited}"


def is_public(value: type) -> bool:
    """Whether a class has a place of its own in the reference."""
    return getattr(loopwright, value.__name__, None) is value


def names() -> str:
    """The reference of all public names."""
    parts = [
        (title[0].upper() + title[1:], [f"loopwright.{name}" for name in group]) for title, group in groups_of_names()
    ]
    parts.append(("For tests", [f"loopwright.testing.{name}" for name in loopwright.testing.__all__]))
    text = ""
    for title, group in parts:
        directives = "\n\n".join(described(name) for name in group)
        text += f"\n## {title}\n\n```{{eval-rst}}\n{directives}\n```\n"
    return text


def complete_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page what only the site has."""
    if page == "index":
        source[0] += "\n" + tree(source[0], sorted(app.env.found_docs - {"index"}))
    source[0] = source[0].replace("<!-- names: made by docs/conf.py -->", names() if page == "reference/python" else "")


def read_docstring(app: Sphinx, what: Any, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Write `name` as code, and as a link where it is a public name; then read the sections of the docstring."""
    del app, options
    text = [line if line.lstrip().startswith((">>>", "...")) else NAME.sub(code_or_link, line) for line in lines]
    # what stands before a colon in a property's docstring would be taken for its type
    lines[:] = GoogleDocstring(text, None, None, "method" if what == "property" else what, name, obj).lines()


def read_signature(
    app: Sphinx, what: str, name: str, obj: object, options: object, signature: str | None, returned: str | None
) -> tuple[str | None, str | None]:
    """Leave out of a signature what nobody would read, and write the rest so that Sphinx can read it."""
    del app, what, name, obj, options
    shorter = LONG_CHOICE.sub("str", plain_types(signature or ""))
    return signature and shorter.replace("<factory>", "..."), returned


def plain_types(signature: str) -> str:
    """A signature whose `Annotated` types are the types alone."""
    while found := ANNOTATED.search(signature):
        depth, place, comma = 1, found.end(), 0
        while depth:
            depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(signature[place], 0)
            comma = comma or (place if depth == 1 and signature[place] == "," else 0)
            place += 1
        signature = signature[: found.start()] + signature[found.end() : comma] + signature[place:]
    return signature


def code_or_link(found: re.Match[str]) -> str:
    """One word of a docstring as reStructuredText has it."""
    word, ending = found["name"], found["ending"]
    shown = f":py:obj:`{word} <loopwright.{word}>`" if word in loopwright.__all__ else f"``{word}``"
    return f"{shown}\\ {ending}" if ending else shown


def link_to_public(app: Sphinx, env: Any, node: Any, text: nodes.TextElement) -> nodes.reference | None:
    """Lead a type in a signature, which is known by its inner module, to its public name."""
    last = str(node.get("reftarget", "")).rpartition(".")[2]
    if node.get("refdomain") != "py" or last not in loopwright.__all__:
        return None
    place: nodes.reference | None = env.domains.python_domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", f"loopwright.{last}", node, text
    )
    return place


def setup(app: Sphinx) -> None:
    """Connect what is above."""
    app.add_lexer("mermaid", TextLexer)
    app.connect("source-read", complete_page)
    app.connect("autodoc-process-docstring", read_docstring)
    app.connect("autodoc-process-signature", read_signature)
    app.connect("missing-reference", link_to_public)
