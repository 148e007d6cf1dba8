"""The bench's report: measures, statistics, plots, targets."""
