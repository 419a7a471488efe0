"""Tests of evosdc and of the plugins that come with it."""
