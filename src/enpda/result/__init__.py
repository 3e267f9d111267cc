"""What a match is, and what can be done with it."""
