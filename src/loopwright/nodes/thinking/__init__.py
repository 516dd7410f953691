"""What an agent does beside its brains: it looks at what it can do, does what it decides, perceives and remembers."""
