"""The face that users hold: loops, and the ways to make one. It only delegates."""
