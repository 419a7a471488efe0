"""Files of microdata: delimited text, Parquet and DataFrames, read into tables and written back."""
