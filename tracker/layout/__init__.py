"""What changes between strokes: balls that hands move, take or bring, a new rack."""
