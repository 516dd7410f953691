"""The menu of an agent."""

from loopwright.nodes.thinking.fields import EXIT, OWN_ACTIONS, SPEAK, WAIT, menu


def test_its_own_actions_come_first_and_leaving_is_one_of_them() -> None:
    made = menu({"sing": "Sing a song."}, [])
    assert list(made) == [*OWN_ACTIONS, "sing"]
    assert EXIT in made
    assert made["sing"] == "Sing a song."


def test_what_has_to_follow_leaves_only_waiting_and_speaking_beside_it() -> None:
    assert list(menu({"sing": "", "give": ""}, ["give"])) == [WAIT, SPEAK, "give"]
    assert list(menu({"sing": ""}, ["unheard of"])) == [WAIT, SPEAK, "unheard of"]
