"""Brains: four techniques of thinking, each a small plan with the same ports."""
