"""One tree of errors that people may see: each has a code for programs and a sentence for people."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Sentence = str | Promise


class QuadernError(Exception):
    """Something a person can understand and act on. Never carries a path or a traceback."""

    status = 400
    code = "error"
    title: Sentence = _("This did not work")

    def __init__(
        self,
        sentence: Sentence,
        *,
        code: str | None = None,
        fields: Mapping[str, list[str]] | None = None,
    ) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence
        self.code = code or self.code
        self.fields = dict(fields or {})


class Invalid(QuadernError):
    """The input is not usable; `fields` names each wrong field with its reasons."""

    code = "invalid"
    title = _("Something in the input needs a change")


class NotFound(QuadernError):
    """Absent or invisible: the two are told apart nowhere."""

    status = 404
    code = "not_found"
    title = _("Not found")

    def __init__(self) -> None:
        super().__init__(_("There is nothing here that you can see."))


class Forbidden(QuadernError):
    """Visible, but not for this actor to do."""

    status = 403
    code = "forbidden"
    title = _("Not yours to do")


class Conflict(QuadernError):
    """The state of the thing does not allow it now."""

    status = 409
    code = "conflict"
    title = _("Not possible right now")


class TooLarge(QuadernError):
    """More than the stated limit."""

    status = 413
    code = "too_large"
    title = _("Too large")


class Throttled(QuadernError):
    """Too many tries; `retry_after` is in seconds."""

    status = 429
    code = "throttled"
    title = _("Too many tries")

    def __init__(self, sentence: Sentence, *, retry_after: int) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


class Unavailable(QuadernError):
    """A service that Quadern needs does not answer; trying again later may work."""

    status = 503
    code = "unavailable"
    title = _("Not available right now")
