"""The figures of a service for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from validator import __version__
from validator.service.http.replies import Service
from validator.workers.limits import memory_in_use


class Measures(Collector):
    """What is read off the service when it is asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        """Return the figures in Prometheus' text format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        service = self._service
        yield GaugeMetricFamily("plan_validator_info", f"version {__version__}", value=1)
        jobs = CounterMetricFamily("plan_validator_jobs", "finished jobs", labels=("operation", "status"))
        for (operation, status), number in sorted(service.jobs.counts.items()):
            jobs.add_metric((operation, status), number)
        yield jobs
        seconds = CounterMetricFamily("plan_validator_job_seconds", "seconds of finished jobs", labels=("operation",))
        for operation, total in sorted(service.jobs.seconds.items()):
            seconds.add_metric((operation,), total)
        yield seconds
        waiting = GaugeMetricFamily("plan_validator_waiting", "requests that wait", labels=("for",))
        for is_quick, queue in service.lanes.queues.items():
            waiting.add_metric(("check" if is_quick else "planner",), len(queue))
        yield waiting
        yield GaugeMetricFamily("plan_validator_running", "requests at a worker", value=service.lanes.running)
        yield CounterMetricFamily("plan_validator_workers_replaced", "replaced workers", value=service.lanes.replaced)
        yield GaugeMetricFamily("plan_validator_resident_bytes", "of the serving process", value=memory_in_use())
