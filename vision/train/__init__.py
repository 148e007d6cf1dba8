"""Training of the ball detector; a leaf, and the only place where torch may be imported."""
