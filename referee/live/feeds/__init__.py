"""Events of a live table sent out: MQTT, webhooks, metrics, the event stream."""
