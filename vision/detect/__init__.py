"""The ball detector: where the network looks, what it answers, how balls get their colours."""
