"""Finding what changed since the last accepted picture, so that vision looks only there."""
