"""The command line: it knows only the face of the package and its events."""
