"""Hours of synthetic play through `cueref live`, with faults forced on purpose, compared with the truth."""
