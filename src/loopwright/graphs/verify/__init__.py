"""What is proved about a plan before a model is called."""
