"""Information losses of categorical attributes."""
