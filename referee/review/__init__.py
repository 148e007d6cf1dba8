"""Reviews a recording: its images in, a refereed match out. Live tables use the same steps."""
