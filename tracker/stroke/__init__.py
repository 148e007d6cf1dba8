"""One stroke: its span of images, and the balls' paths, contacts, pots and resting places solved from it."""
