"""A channel through its levels: an agent that is defined as EnsoNet defines it, offline, with a scripted model.

Run it: python examples/brainstorming.py
"""

from pathlib import Path

import loopwright as lw

SAID = ["I like birds.", "I can do woodwork.", "A nest box with a camera, or a bird table.", "The nest box."]
"""What the person says, turn by turn."""

FIRST = {"interests": ["birds"], "skills": ["woodwork"]}
IDEAS = {"project ideas": ["a nest box with a camera", "a bird table"]}
LAST = {"final project idea": "a nest box with a camera", "done when": "The first picture is on the phone."}

script = lw.ScriptedModel(
    {
        "level 1/introduction": ["Hello! What do you like?"],
        "level 1/judge": [
            {"achieved": False, "reason": "no skills were named"},
            {"achieved": True, "summary": "Likes birds, does woodwork.", "key_output": FIRST},
        ],
        "level 1/respond": ["Birds, how lovely. And what can you do well?"],
        "level 2/introduction": ["What could you build for birds?"],
        "level 2/judge": [{"achieved": True, "summary": "Two ideas for birds.", "key_output": IDEAS}],
        "level 3/introduction": ["Which of the two shall it be?"],
        "level 3/judge": [{"achieved": True, "summary": "It is a nest box with a camera.", "key_output": LAST}],
    }
)

loop = lw.load(Path(__file__).with_name("brainstorming.json"))
print(loop.certificate)
run = loop.start(model=script)
for text in SAID:
    print(f"agent:  {run.questions[0].text}")
    print(f"person: {text}")
    run.resume(text)
print(run.end, run.result)
