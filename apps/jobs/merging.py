"""How the payloads of two triggers of the same job become one. Pure."""

from apps.jobs.values import Json


def merge_payloads(waiting: Json, newer: Json) -> dict[str, object]:
    """Both triggers' wishes in one payload.

    Lists are united in order, a flag that either sets stays set, nested objects are merged
    the same way, anything else is taken from the newer trigger.
    """
    merged = dict(waiting)
    for name, value in newer.items():
        merged[name] = _merge(merged[name], value) if name in merged else value
    return merged


def _merge(waiting: object, newer: object) -> object:
    if isinstance(waiting, bool) and isinstance(newer, bool):
        return waiting or newer
    if isinstance(waiting, list) and isinstance(newer, list):
        return waiting + [item for item in newer if item not in waiting]
    if isinstance(waiting, dict) and isinstance(newer, dict):
        return merge_payloads(waiting, newer)
    return newer
