"""Studies of the literature, done again: what they declare, rerunning them, and whether stored results still hold."""
