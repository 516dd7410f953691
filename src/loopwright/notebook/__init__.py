"""Runs that are watched while they run, in notebooks and elsewhere."""

from loopwright.notebook.watching import awatch, watch

__all__ = ["awatch", "watch"]
