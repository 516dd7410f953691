"""The command line. `main` assembles it; each command is a file of its own, and knows only the face and the events."""
