"""Live camera sources: network streams, USB cameras and files played as cameras."""
