"""Options of every command, each declared once.

A model (`evosdc.options.model`) has the help, the arguments and the options of a command: name, type, default, limits
and text of each. From it come the command, the documentation of the Python function of the same name, the forms of the
workbench, the reference pages, and validation. Models are imported with the command or function that takes them.
"""
