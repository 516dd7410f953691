"""How nodes are joined: the plan, what is proved about it, how it is drawn and run."""
