"""Live cameras: network streams, USB cameras, and files played as if they were cameras."""
