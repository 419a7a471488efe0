"""Swapping of values between records."""
