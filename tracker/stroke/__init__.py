"""One stroke: its span of images, the balls' paths, contacts, first contact and pots."""
