"""Runs: started, followed, left, resumed. `handle` is what users hold; `session` is the part that needs the engine."""
