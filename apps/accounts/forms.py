"""The forms of signing in, of the profile and of the first account."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import User
from apps.common.errors import QuadernError


class PageForm(forms.Form):
    """A form in the look of the pages: its widgets carry the classes and say what is wrong."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **kwargs})
        for field in self.fields.values():
            if isinstance(field.widget, forms.Select):
                field.widget.attrs.setdefault("class", "select")
            elif not isinstance(field.widget, forms.RadioSelect | forms.HiddenInput):
                field.widget.attrs.setdefault("class", "input")

    def add_refusal(self, error: QuadernError) -> None:
        """Shows what an action refused: beside the fields it names, else above the form."""
        told: Mapping[str, list[str]] = error.fields
        for name, sentences in told.items():
            for sentence in sentences:
                self.add_error(name if name in self.fields else None, sentence)
        if not told:
            self.add_error(None, str(error.sentence))


class SignInForm(PageForm):
    """Address and password."""

    username = forms.CharField(
        label=_("E-mail"),
        widget=forms.EmailInput(attrs={"autocomplete": "username", "autofocus": True}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class FounderForm(PageForm):
    """The first account of a fresh install and the name of its vault."""

    name = forms.CharField(
        label=_("What to call you"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "name", "dir": "auto"}),
    )
    email = forms.CharField(
        label=_("E-mail"), widget=forms.EmailInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=_("A long phrase is better than symbols. At least 12 characters."),
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    vault_name = forms.CharField(
        label=_("Name of your vault"),
        required=False,
        max_length=120,
        help_text=_("Your team, house or project. It can change later."),
        widget=forms.TextInput(attrs={"autocomplete": "organization", "dir": "auto"}),
    )


class ProfileForm(PageForm):
    """Name, language and theme."""

    name = forms.CharField(
        label=_("What to call you"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "name", "dir": "auto"}),
    )
    language = forms.ChoiceField(label=_("Language"), choices=settings.LANGUAGES)
    theme = forms.ChoiceField(
        label=_("Theme"), choices=User.Theme.choices, widget=forms.RadioSelect
    )
