"""Who thinks: what a node is, what it may ask, and the driver that asks for it."""
