"""The conformance suites: what passes them, and the faults that they find."""
