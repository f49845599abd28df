"""All rows of the access table, app by app."""

from tests.contracts import (
    access_accounts,
    access_chat,
    access_common,
    access_library,
    access_notebooks,
)
from tests.contracts.access_table import Row

ROWS: tuple[Row, ...] = (
    *access_common.ROWS,
    *access_accounts.ROWS,
    *access_library.ROWS,
    *access_notebooks.ROWS,
    *access_chat.ROWS,
)
