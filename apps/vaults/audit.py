"""The append-only log: call inside the transaction of what it tells."""

import uuid

from apps.vaults.models import AuditRecord


def record(
    action: str,
    *,
    vault_id: uuid.UUID,
    actor_id: uuid.UUID | None,
    object_kind: str,
    object_id: object,
    **detail: object,
) -> AuditRecord:
    """Writes who did what to which object; `detail` must be JSON-ready and hold no content."""
    return AuditRecord.objects.create(
        vault_id=vault_id,
        actor_id=actor_id,
        action=action,
        object_kind=object_kind,
        object_id=str(object_id),
        detail=detail,
    )
