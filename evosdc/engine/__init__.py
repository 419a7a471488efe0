"""The search engine: evaluation, the loop of generations, stop criteria, archive and checkpoints.

It knows no concrete genotype, masking method, measure or algorithm.
"""
