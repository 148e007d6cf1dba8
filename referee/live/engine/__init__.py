"""The engine of a live table: images from a camera in, rulings and state out."""
