"""Compiling the kernels ahead: when evosdc is installed, or by ``evosdc compile``.

What is compiled with which types stands in ``kernels.json``, which `evosdc.compilation.recording` writes from what
tests and runs have compiled. A kernel or a type that does not stand there is compiled when it is first called.
"""
