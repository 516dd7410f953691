"""Where runs are kept: checkpoints, the registry of runs and the record of visits, in one file."""
