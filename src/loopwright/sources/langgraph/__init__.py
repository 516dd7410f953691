"""Graphs that were made with LangGraph, read and never called."""
