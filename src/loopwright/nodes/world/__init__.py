"""A world of agents, pure: what there is, what can be done, what the world lets happen, and who hears of it."""
