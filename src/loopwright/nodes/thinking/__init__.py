"""What an agent does beside its brains: it looks at what it can do, reads its decision, perceives, and ends its turn."""
