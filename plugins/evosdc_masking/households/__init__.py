"""A file of persons as one of households, and back."""
