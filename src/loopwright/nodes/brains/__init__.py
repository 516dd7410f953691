"""The think nodes of brains: options are generated, rated or chosen, and the best one is picked."""
