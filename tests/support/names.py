"""Names of parametrized tests, which must be the same in every process of one run."""


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes go by their argument's name: packed ones hold the time at which they were made."""
    return argname if isinstance(val, bytes) else None
