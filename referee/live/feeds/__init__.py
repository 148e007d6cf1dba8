"""Sends the events of a live table out: MQTT, webhooks, metrics, the event stream."""
