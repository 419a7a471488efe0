"""Post-randomisation: values redrawn by transition matrices."""
