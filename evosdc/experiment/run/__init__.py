"""One run: the search, what listens to it, what its workers do, and what it leaves in its folder."""
