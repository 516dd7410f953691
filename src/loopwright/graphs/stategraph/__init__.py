"""Graphs that were made with LangGraph: what was read of them, what is wrong with them, and how they are drawn. Pure."""
