from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from apps.jobs import actions
from apps.jobs.values import Fail

pytestmark = pytest.mark.django_db

VAULT = UUID(int=1)


def output(*words):
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_due_jobs_can_be_done_without_a_broker(install):
    install("probe", lambda job: None)
    actions.enqueue("probe", "n1", vault_id=VAULT)
    actions.enqueue("probe", "n2", vault_id=VAULT)
    assert output("drain_jobs") == "2\n"
    assert output("drain_jobs") == "0\n"


def test_a_job_tells_its_story(install):
    def handler(job):
        job.checkpoint(2, 5, "report.pdf")
        raise Fail("encrypted", "It asks for a password.")

    install("probe", handler)
    first = actions.enqueue("probe", "n1", {"force": ["a"]}, vault_id=VAULT)
    output("drain_jobs")
    actions.enqueue("probe", "n1", vault_id=VAULT)
    story = output("explain_job", str(first.pk))
    for fact in (
        "probe n1 (failed)",
        "2 of 5 report.pdf",
        "encrypted It asks for a password.",
        "{'force': ['a']}",
        "finished_at: ",
        ": queued",
    ):
        assert fact in story


def test_an_unknown_job_is_said_to_be_unknown():
    with pytest.raises(CommandError, match="no job 77"):
        call_command("explain_job", "77")
