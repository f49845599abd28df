"""What travels through the broker, for the worker's application and for the clock's.

Messages are wake-ups without content; the jobs table is the truth. So they are acknowledged
at once, keep no result and may be lost.
"""

from kombu import Queue

CELERY = {
    "task_queues": [Queue("ingest"), Queue("analysis"), Queue("default")],
    "task_default_queue": "default",
    "task_acks_late": False,
    "task_ignore_result": True,
    "task_store_errors_even_if_ignored": False,
    "worker_pool": "threads",  # reading a file happens in a process of its own anyway
    "worker_concurrency": 2,
    "worker_prefetch_multiplier": 1,
    "worker_hijack_root_logger": False,
    "worker_send_task_events": False,
    "broker_connection_timeout": 2,
    "broker_connection_retry_on_startup": True,
    "broker_connection_max_retries": None,  # the worker works without a broker and waits for it
    "broker_transport_options": {
        "socket_timeout": 3,
        "socket_connect_timeout": 2,
        "socket_keepalive": True,
        "health_check_interval": 25,
    },
    "beat_scheduler": "celery.beat.Scheduler",  # nothing to remember between starts, so no file
    "beat_schedule": {
        "sweep": {
            "task": "jobs.sweep",
            "schedule": 10.0,
            "options": {"queue": "default", "expires": 30},
        }
    },
}
