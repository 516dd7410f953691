"""The listing for terminals."""

from loopwright.graphs.draw.text import to_text
from loopwright.graphs.plan import Plan
from loopwright.state.records import Visit

RUN = """\
bridge
  ✓ start
    └─ → solver  ✓
  ✓ solver ×2 · think
    └─ → detractor  ✓ ×2
  ✓ detractor ×2 · think
    └─ → master  ✓ ×2
  ✓ master ×2 · think
    └─ → boss  ✓ ×2
  ✓ boss ×2 · think
    ├─ continue ≤ 3 → solver  ✓
    ├─ rounds used up ⇢ max_rounds
    └─ stop → review  ✓
  ▶ review · wait
    ├─ accept → accepted
    ├─ reject ≤ 3 → solver
    ├─ rounds used up ⇢ max_rounds
    ├─ continue ≤ 3 → solver
    └─ rounds used up ⇢ max_rounds
    max_rounds · end, no success
    accepted · end
"""  # noqa: RUF001 - the signs themselves


def test_a_run_of_the_role_cycle(role_cycle: Plan, visits: list[Visit]) -> None:
    assert to_text(role_cycle, visits=visits, at=["review"]) == RUN


def test_without_a_run_there_are_no_marks(role_cycle: Plan) -> None:
    text = to_text(role_cycle)
    assert not set("✓▶") & set(text)
    assert text.splitlines()[:4] == ["bridge", "  start", "  └─ → solver", "  solver · think"]


def test_forks_say_what_they_run(forked: Plan) -> None:
    lines = to_text(forked).splitlines()
    assert "  rate · each · each option: rating" in lines
    assert "  voices · parallel · optimist + pessimist + 1 more" in lines
