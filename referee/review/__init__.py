"""A recording in, a refereed match out."""
