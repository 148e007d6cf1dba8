"""Advice on a camera as traffic lights: aim, focus, exposure, flicker, glare, image rate."""
