"""Plans that have changed: what differs, and whether a run that was started from one goes on with the other. Pure."""
