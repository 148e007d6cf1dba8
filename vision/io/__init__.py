"""Reading images: containers, presentation times, pixel formats, the planes of one picture."""
