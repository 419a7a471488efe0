"""Pages of the reference that are written from the program itself, so that they cannot go stale."""
