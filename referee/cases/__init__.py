"""Runs rule case files (`cueref cases`)."""
