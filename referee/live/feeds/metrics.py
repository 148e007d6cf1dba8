"""Prometheus metrics of a live table, from its published state; names contain the unit."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from calibration.texts import unusable_input
from referee.live.engine.state import LiveEvent, LiveRuling, LiveState
from referee.live.feeds.fanout import OutletCount


class Metrics:
    """What `/metrics` shows. `observe` every event; `text` is the exposition, from any thread."""

    def __init__(self, outlets: Callable[[], Sequence[OutletCount]] = tuple) -> None:
        """`outlets`: called at each scrape for the outlets' counts."""
        try:
            import prometheus_client as prometheus
            from prometheus_client import metrics_core
        except ImportError:
            raise unusable_input("errors.extra_live_pip_install_cueref_live") from None
        self._prometheus = prometheus
        self._registry = prometheus.CollectorRegistry()
        self._lock = threading.Lock()
        self._state: LiveState | None = None
        self._confirmed: set[tuple[str, int, str]] = set()
        # a ruling should come within a second of the last ball at rest
        self._time_to_rule = prometheus.Histogram(
            "cueref_time_to_rule_seconds",
            "From the last ball at rest to the ruling",
            ["table"],
            buckets=(0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 5.0),
            registry=self._registry,
        )
        self._rulings = prometheus.Counter(
            "cueref_rulings",
            "Rulings by kind and verdict",
            ["table", "kind", "verdict"],
            registry=self._registry,
        )
        self._registry.register(_Latest(self, metrics_core, outlets))

    def observe(self, event: LiveEvent) -> None:
        """Take note of an event of the stream."""
        body = event.body
        if isinstance(body, LiveState):
            with self._lock:
                self._state = body
        elif isinstance(body, LiveRuling):
            self._ruled(event.table, body)

    def _ruled(self, table: str, ruling: LiveRuling) -> None:
        key = (table, ruling.stroke, ruling.end_utc)
        if key not in self._confirmed:
            # players wait for the first ruling of a stroke, provisional or not
            self._confirmed.add(key)
            self._time_to_rule.labels(table).observe(max(0.0, ruling.ready_s - ruling.end_s))
            self._rulings.labels(table, ruling.kind, ruling.verdict).inc()

    @property
    def state(self) -> LiveState | None:
        """The last state seen."""
        with self._lock:
            return self._state

    def text(self) -> tuple[bytes, str]:
        """The exposition and its content type."""
        return self._prometheus.generate_latest(self._registry), self._prometheus.CONTENT_TYPE_LATEST


class _Latest:
    """Gauges and totals from the last state."""

    def __init__(self, metrics: Metrics, families: Any, outlets: Callable[[], Sequence[OutletCount]]) -> None:
        self._metrics, self._outlets = metrics, outlets
        self._families = families

    def collect(self) -> list[Any]:
        """Called by the registry at each scrape."""
        state = self._metrics.state
        found = [] if state is None else self._table(state)
        return found + self._delivered("" if state is None else state.table)

    def _table(self, s: LiveState) -> list[Any]:
        core, camera, machine = self._families, s.camera, s.machine
        gauges = {
            "cueref_up": ("1 while images are judged", float(s.status == "running")),
            "cueref_camera_up": ("1 while images come", float(camera.ok)),
            "cueref_images_per_second": ("Images judged a second", camera.rate_hz),
            "cueref_delay_seconds": ("From an image's moment to its places", _scaled(camera.delay_ms, 1e-3)),
            "cueref_process_cores": ("Processor time a second, in cores", machine.cpu_share),
            "cueref_process_memory_bytes": ("Resident memory", _scaled(machine.memory_mb, 1e6)),
            "cueref_disk_free_bytes": ("Room where matches are kept", _scaled(machine.disk_free_mb, 1e6)),
            "cueref_open_questions": (
                "Questions that wait for a person",
                float(sum(q.open for q in s.questions) + s.questions_more),
            ),
            "cueref_frame": ("Number of the frame being played", float(s.frame)),
        }
        totals = {
            "cueref_images": ("Images judged", camera.images),
            "cueref_images_skipped": ("Images left out because the machine was slow", camera.skipped),
            "cueref_camera_reconnects": ("Times the camera was lost and found again", camera.reconnects),
            "cueref_strokes": ("Strokes of the match", s.strokes),
        }
        found: list[Any] = []
        for name, (words, value) in gauges.items():
            if value is not None:
                family = core.GaugeMetricFamily(name, words, labels=["table"])
                family.add_metric([s.table], value)
                found.append(family)
        for name, (words, count) in totals.items():
            family = core.CounterMetricFamily(name, words, labels=["table"])
            family.add_metric([s.table], count)
            found.append(family)
        held = core.GaugeMetricFamily("cueref_condition", "1 while it holds", labels=["table", "condition"])
        for condition in s.conditions:
            held.add_metric([s.table, condition.code], float(condition.active))
        return [*found, held]

    def _delivered(self, table: str) -> list[Any]:
        family = self._families.CounterMetricFamily(
            "cueref_outlet_events", "Events by outlet and fate", labels=["table", "outlet", "fate"]
        )
        for o in self._outlets():
            for fate, count in (("delivered", o.delivered), ("failed", o.failed), ("dropped", o.dropped)):
                family.add_metric([table, o.name, fate], count)
        return [family]


def _scaled(value: float | None, by: float) -> float | None:
    return None if value is None else value * by
