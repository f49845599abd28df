"""What has to answer before this process is ready for visitors."""

from apps.common import health
from config.celery import app


def check_broker() -> None:
    """Raises unless the broker takes a connection."""
    with app.connection_for_write() as broker:
        broker.ensure_connection(max_retries=1, timeout=2)


CHECKS = {
    "database": health.check_database,
    "migrations": health.check_migrations,
    "storage": health.check_storage,
    "broker": check_broker,
    "channel_layer": health.check_channel_layer,
}
