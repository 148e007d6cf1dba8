"""A match as a fold over the journal: what was seen is weighed, judged and scored."""
