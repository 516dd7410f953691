"""Comparing loops: the same problems through several of them, scored, and what the scores show."""
