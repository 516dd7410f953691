"""Tools that a model may call: what it is told of them, how they are called, and the nodes that do it."""
