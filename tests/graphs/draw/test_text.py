"""The listing for terminals."""

from functools import partial

from loopwright.graphs.builder import PlanBuilder
from loopwright.graphs.draw.formats import picture
from loopwright.graphs.draw.scene import scene_of
from loopwright.graphs.draw.text import text_of as text_of_scene
from loopwright.graphs.plan import End, Plan
from loopwright.nodes.think import Judge
from loopwright.state.records import Visit

text_of = partial(picture, format="txt")

RUN = """\
bridge
  ✓ start
    └─ → solver  ✓
  ✓ solver ×2 · think ◀─────────────────────────╮
    └─ → detractor  ✓ ×2                        │
  ✓ detractor ×2 · think                        │
    └─ → master  ✓ ×2                           │
  ✓ master ×2 · think                           │
    └─ → boss  ✓ ×2                             │
  ✓ boss ×2 · judge                             │
    ├─ continue (rounds ≤ 3) → solver  ✓ ───────┤
    ├─ rounds used up ⇢ max_rounds              │
    └─ stop → review  ✓                         │
  ▶ review · human                              │
    ├─ accept → accepted                        │
    ├─ reject, continue (rounds ≤ 3) → solver ──╯
    └─ rounds used up ⇢ max_rounds
    max_rounds · end, no success
    accepted · end
"""  # noqa: RUF001 - the signs themselves


def test_a_run_of_the_role_cycle(role_cycle: Plan, visits: list[Visit]) -> None:
    assert text_of(role_cycle, visits=visits, at=["review"]) == RUN


def test_without_a_run_there_are_no_marks(role_cycle: Plan) -> None:
    text = text_of(role_cycle)
    assert not set("✓▶") & set(text)
    assert text.splitlines()[:4] == ["bridge", "  start", "  └─ → solver", f"  solver · think ◀{28 * '─'}╮"]


def test_forks_say_what_they_run(forked: Plan) -> None:
    lines = text_of(forked).splitlines()
    assert "  rate · each · each option: rating" in lines
    assert "  voices · parallel · optimist + pessimist + 1 more" in lines


OPENED = """\
brain
  ✓ start
    └─ → rate  ✓
  ▶ rate · each · each option
    ├─ done → voices
    └─ failed → no scores
      rating
        ✓ start
          └─ → rater  ✓
        ✓ rater ×2 · think ◀────╮
          └─ → again  ✓ ×2      │
        ▶ again · judge         │
          ├─ ok → rated         │
          ├─ redo ≤ 2 → rater ──╯
          └─ redo used up ⇢ unrated
          rated · end
          unrated · end, no success
    voices · parallel · side by side
    └─ → heard
          optimist · think
          pessimist · think
          somebody with a long name · think
    no scores"""  # noqa: RUF001 - the signs themselves


def test_the_bodies_of_opened_forks_stand_below_them(forked: Plan) -> None:
    visits = [Visit(index, f"rate[{index}]/rater", "think", "done", "again") for index in range(2)]
    assert text_of(forked, visits=visits, at=["rate[1]/again"], opened=True).startswith(OPENED)


def test_an_outcome_without_an_edge_leads_nowhere() -> None:
    builder = PlanBuilder("gap").node(Judge("judge", prompt="x", outcomes=["on", "off"]))
    assert text_of(builder.edge("judge", "on", End("over")).build()).splitlines()[3:] == [
        "  judge · judge",
        "  ├─ on → over",
        "  └─ off ⇢ nowhere",
        "  over · end",
    ]


def test_without_other_signs_it_is_ascii(role_cycle: Plan, visits: list[Visit]) -> None:
    text = text_of_scene(scene_of(role_cycle, visits, ["review"]), ascii=True)
    assert text.isascii()
    assert text.splitlines()[3:5] == [
        f"  * solver x2 - think <{27 * '-'}.",
        f"    `- -> detractor  * x2{25 * ' '}|",
    ]
