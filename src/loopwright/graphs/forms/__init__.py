"""The forms: each file turns one kind of spec into a plan."""
