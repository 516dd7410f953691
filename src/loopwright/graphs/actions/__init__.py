"""Actions as parts of plans: the chain of brains of each, and what has to follow."""
