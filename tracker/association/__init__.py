"""Which detection is which ball, image by image, and where each ball is predicted next."""
