"""Who gets what from the addresses that belong to no app."""

from tests.contracts.access_table import EVERYBODY, Row

ROWS = (
    Row("healthz", "GET", {"": EVERYBODY}),
    Row("readyz", "GET", {"": EVERYBODY}),
    Row("javascript-catalog", "GET", {"": EVERYBODY}),
)
