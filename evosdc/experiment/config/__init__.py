"""What an experiment file says: its model, its reading, and its defaults written out."""
