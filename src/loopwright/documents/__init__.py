"""How files are read: YAML and JSON into plain data, with the line of every place and all faults at once."""
