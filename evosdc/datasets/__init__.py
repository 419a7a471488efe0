"""The registered data sets: where they come from, how they are fetched, and what their attributes mean."""
