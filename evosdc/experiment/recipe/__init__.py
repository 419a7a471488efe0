"""Recipes: what a plan scores step by step, the file that it was made for, and carrying it out on another one."""
