"""One sentence for each reason and note, in the reader's language."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from apps.ingestion.values import Note, Reason

SENTENCES = {
    Reason.CANCELLED: _("Reading was cancelled."),
    Reason.CORRUPT: _("The file is damaged and could not be read."),
    Reason.CRASHED: _("The file made its reader stop. It was left out to keep the rest safe."),
    Reason.DEADLINE: _("The site took too long to answer."),
    Reason.EMPTY: _("The file is empty."),
    Reason.ENCRYPTED: _(
        "The file is password protected or in an old Office format. "
        "Save an unprotected copy in a current format and add that."
    ),
    Reason.FORBIDDEN_ADDRESS: _("This address may not be opened from here."),
    Reason.HTTP_STATUS: _("The site answered with an error."),
    Reason.INCOMPLETE: _("The site did not send the whole page."),
    Reason.INVALID_URL: _("This is not a web address that can be opened."),
    Reason.NO_READABLE_TEXT: _("No readable text was found."),
    Reason.NOT_FOUND: _("The page is no longer there."),
    Reason.OCR_LOW_CONFIDENCE: _("The scan is too unclear to be read reliably."),
    Reason.OCR_UNAVAILABLE: _(
        "The text is an image. To read it, the server needs text recognition "
        "(packages tesseract-ocr and tesseract-ocr-eng, or another language)."
    ),
    Reason.OUT_OF_MEMORY: _("Reading the file needs more memory than one file may use."),
    Reason.OUT_OF_SPACE: _("There is no disk space left to read the file."),
    Reason.TOO_LARGE: _("The source is larger than the limit."),
    Reason.TOO_MANY_REDIRECTS: _("The site sends the reader from page to page without end."),
    Reason.TOO_SLOW: _("Reading the file took longer than the limit."),
    Reason.TYPE_MISMATCH: _("The content of the file is not what its name says."),
    Reason.UNREACHABLE: _("The site could not be reached."),
    Reason.UNSAFE_ARCHIVE: _("The file unpacks to an unreasonable size or has unsafe contents."),
    Reason.UNSUPPORTED_TYPE: _("This type of file cannot be read yet."),
}


def sentence_for(reason: Reason | str) -> str:
    """The sentence to show; an unknown word from an older row falls back to a neutral one."""
    try:
        return str(SENTENCES[Reason(reason)])
    except ValueError:
        return str(_("The source could not be read."))


_NOTES = {
    Note.ATTACHED_FILES_NOT_READ: ngettext_lazy(
        "%(count)d attached file, not read", "%(count)d attached files, not read", "count"
    ),
    Note.CHARACTERS_REPLACED: ngettext_lazy(
        "%(count)d unreadable character replaced",
        "%(count)d unreadable characters replaced",
        "count",
    ),
    Note.FORMULAS_NOT_CALCULATED: ngettext_lazy(
        "%(count)d formula without a stored result",
        "%(count)d formulas without a stored result",
        "count",
    ),
    Note.LANGUAGES_NOT_INSTALLED: ngettext_lazy(
        "%(count)d language of scans is not installed (package tesseract-ocr-…)",
        "%(count)d languages of scans are not installed (packages tesseract-ocr-…)",
        "count",
    ),
    Note.PAGES_FAILED: ngettext_lazy(
        "Partly read: %(count)d page failed", "Partly read: %(count)d pages failed", "count"
    ),
    Note.PAGES_NOT_RECOGNISED: ngettext_lazy(
        "%(count)d page is an image, not read (package tesseract-ocr is not installed)",
        "%(count)d pages are images, not read (package tesseract-ocr is not installed)",
        "count",
    ),
    Note.PAGES_TOO_LARGE: ngettext_lazy(
        "Partly read: %(count)d page unpacks to an unreasonable size",
        "Partly read: %(count)d pages unpack to an unreasonable size",
        "count",
    ),
    Note.PAGES_TOO_SLOW: ngettext_lazy(
        "%(count)d page took too long to be recognised",
        "%(count)d pages took too long to be recognised",
        "count",
    ),
    Note.PAGES_UNCLEAR: ngettext_lazy(
        "%(count)d page too unclear to be read reliably",
        "%(count)d pages too unclear to be read reliably",
        "count",
    ),
    Note.PAGES_WITHOUT_TEXT: ngettext_lazy(
        "%(count)d page without text", "%(count)d pages without text", "count"
    ),
    Note.REPAIRED: _("The file was damaged and has been repaired."),
}


def note_sentence(note: Note | str, count: int) -> str:
    """The remark to show for `count` occurrences; nothing for an unknown word from an older row."""
    try:
        return str(_NOTES[Note(note)] % {"count": count})
    except ValueError:
        return ""
