"""The documentation: its pages, and what builds the site of them (`python -m docs.build`)."""
