"""Post-randomisation: transition matrices, their properties, files and estimates, and the equations that fill them."""
