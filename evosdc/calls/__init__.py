"""One masking, one measurement or one look at the risk of a file: what the commands and the Python functions share."""
