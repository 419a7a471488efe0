"""Tests of evosdc.executors."""
