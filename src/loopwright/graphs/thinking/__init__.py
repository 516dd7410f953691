"""An agent that thinks: one turn, and the loop of turns."""
