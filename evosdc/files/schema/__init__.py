"""Schema files: read, written, and sent to workers."""
