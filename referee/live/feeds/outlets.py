"""The receivers of a live table's events, opened from its settings: MQTT, webhooks, metrics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.errors import UnusableInput
from referee.live.engine.log import LiveLog
from referee.live.engine.state import LiveEvent
from referee.live.feeds.fanout import Fanout, Outlet
from referee.live.feeds.metrics import Metrics
from referee.live.feeds.mqtt import MqttOutlet, parse_broker
from referee.live.feeds.webhooks import Webhook


@dataclass(frozen=True, slots=True)
class FeedOptions:
    """`mqtt`: the broker's address or None. `webhooks`: http(s) addresses, signed with `webhook_secret`.

    `pages`: the address of the table's own pages, None where there are none. `home_assistant`: the prefix
    of Home Assistant's discovery, None without. Addresses and the secret may
    hold passwords: `repr` leaves them out.
    """

    table: str
    mqtt: str | None = None
    webhooks: Sequence[str] = ()
    webhook_secret: str = ""
    pages: str | None = None
    home_assistant: str | None = None

    def __repr__(self) -> str:
        return f"FeedOptions({self.table!r}, mqtt={self.mqtt is not None}, webhooks={len(self.webhooks)})"


class Feeds:
    """All of a table's feeds. `publish` returns at once; `metrics` None without prometheus-client."""

    def __init__(self, options: FeedOptions, log: LiveLog | None = None) -> None:
        """Raises UnusableInput for a wrong address or a missing package that was asked for.

        `log`: notes when a receiver is away and when it is back.
        """
        self._log = log
        outlets: list[Outlet] = []
        if options.webhooks:
            for url in options.webhooks:
                hook = Webhook(url, options.webhook_secret)
                same = sum(o.name.partition(" (")[0] == hook.name for o in outlets)
                hook.name += (
                    f" ({same + 1})" if same else ""
                )  # two receivers on one host have a name each in the metrics
                outlets.append(hook)
        if options.mqtt is not None:
            outlets.append(
                MqttOutlet(
                    parse_broker(options.mqtt),
                    options.table,
                    lambda: self._shared(options.table),
                    options.pages,
                    options.home_assistant,
                )
            )
        self._fanout = Fanout(outlets, self._told)
        self.metrics = _metrics(self._fanout)

    def _told(self, outlet: str, taken: bool, why: str) -> None:
        if self._log is not None:
            self._log("feed_back" if taken else "feed_away", outlet=outlet, text=why)

    def _shared(self, table: str) -> None:
        if self._log is not None:
            text = (
                f"another program publishes as the table {table!r}: each table needs a --table-name of"
                " its own"
            )
            self._log("feed_shared", text=text)

    def publish(self, event: LiveEvent) -> None:
        """Hand one event on."""
        if self.metrics is not None:
            self.metrics.observe(event)
        self._fanout.publish(event)

    def close(self) -> None:
        """Deliver queued events, for a few seconds at most."""
        self._fanout.close()


def _metrics(fanout: Fanout) -> Metrics | None:

    try:
        return Metrics(fanout.counts)
    except UnusableInput:  # metrics are optional; `/metrics` says what is missing
        return None
