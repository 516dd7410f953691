"""The steps of an action: its command, what its brains say, and the event that comes of it."""
