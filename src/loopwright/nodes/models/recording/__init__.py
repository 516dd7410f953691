"""Calls to models in a file: recorded, replayed without any model, or asked only where the file has no answer."""
