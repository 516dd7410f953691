"""What an agent recalls of what it remembers."""
