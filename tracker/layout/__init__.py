"""Changes of the layout between strokes: balls that hands move, take or bring, and a new rack."""
