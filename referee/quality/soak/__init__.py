"""Hours of synthetic play through `cueref live` with faults on purpose, held against the truth."""
