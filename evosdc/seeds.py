"""`evosdc.secret` under its name in contract 1, for plugins that were written for it."""

from evosdc.secret import Purpose, Streams, draw_seed, lent, quick_stream, replicate_seed, stream

__all__ = ["Purpose", "Streams", "draw_seed", "lent", "quick_stream", "replicate_seed", "stream"]
