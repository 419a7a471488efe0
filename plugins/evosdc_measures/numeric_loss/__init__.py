"""Information losses of numeric attributes."""
