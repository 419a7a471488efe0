"""Options of every command, each declared once.

A model (`evosdc.options.model`) lists the options of a command: name, type, default, limits, and the text that explains
them. From it come the options of the command line, the documentation of the Python function of the same name, the forms
of the workbench, the reference pages, and validation. Models are imported with the command or function that takes them.
"""
