"""Where specs come from: YAML and JSON files, with file, line and key in every error."""
