"""From a problem to a match."""
