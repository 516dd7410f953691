"""A society: a world, and the agents that live in it."""
