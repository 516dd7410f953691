"""The prompts of an agent that brings none of its own."""

INTRODUCTION, RESPONSE, JUDGEMENT, WORK = (
    "level_x_introduction",
    "level_x_response",
    "level_x_judgement",
    "level_x_work",
)

PROMPTS = {
    INTRODUCTION: (
        "Your purpose: <{purpose_of_agent}>\n\nWhat is known so far: <{chat_summary}>\n\nYou begin a new step, which"
        " wants: <{level_x_criteria}>\n\nOpen this step with a short message: say what you would like to find out"
        " together, and ask a first question."
    ),
    RESPONSE: (
        "Your purpose: <{purpose_of_agent}>\n\nWhat is known so far: <{chat_summary}>\n\nThe present step wants:"
        " <{level_x_criteria}>\n\nIt is not achieved yet: <{reason_of_failure}>\n\nReply to the last message. Take up"
        " what was said, do not ask again for what is known, and lead to what is missing, one question at a time."
    ),
    JUDGEMENT: (
        "You judge a conversation. You take no part in it.\n\nWhat is known so far: <{chat_summary}>\n\nThe present"
        " step wants: <{level_x_criteria}>\n\nCount only what the other side said itself or clearly agreed to; what the"
        " agent proposed and nobody took up does not count. If all of it is there, answer with `achieved`: true, with a"
        " `summary` of everything that is known now, earlier steps included, and with `key_output`, a value for each"
        " name. Otherwise answer with `achieved`: false and a `reason` that says what is missing."
    ),
    WORK: (
        "You work alone on what an agent asks of you, step by step. Its purpose: <{purpose_of_agent}>\n\nWhat"
        " is known so far: <{chat_summary}>\n\nThe present step wants: <{level_x_criteria}>\n\nDo the work that this"
        " step needs, decide what has to be decided, and give the results in full."
    ),
}
"""A good prompt for each part, in the words of this project."""
