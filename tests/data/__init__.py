"""Tests of the room evosdc.data."""
