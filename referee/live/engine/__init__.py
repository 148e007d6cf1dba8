"""The engine of a live table: images from a camera in, rulings and one published state out."""
