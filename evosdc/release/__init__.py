"""What is told of a protected file before it is published: verdict, changes by column, analyses, records at risk."""
