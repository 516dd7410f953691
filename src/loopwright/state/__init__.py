"""What is remembered: channels, types, records and the stores that keep them."""
