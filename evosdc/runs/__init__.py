"""Run folders as they lie on disk: layout, lock, journal, status, and the reading of them."""
