"""The suite's shared fixtures; each lives in its own module of tests/support."""

pytest_plugins = [
    "tests.support.cast",
    "tests.support.jobs",
    "tests.support.names",
    "tests.support.postgres",
    "tests.support.valkey",
    "tests.support.website",
    "tests.support.worker",
]
