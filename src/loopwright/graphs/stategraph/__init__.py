"""Graphs that were made with LangGraph: what was read of them, what is wrong, and how they are drawn. Pure."""
