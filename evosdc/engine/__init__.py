"""The search engine: evaluation, generations, stop criteria, archive and checkpoints."""
