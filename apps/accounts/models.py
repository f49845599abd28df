"""The person: signs in by e-mail."""

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import gettext_lazy as _


class UserManager(BaseUserManager["User"]):
    """Makes users; addresses are compared without case."""

    def create_user(self, email: str, password: str | None = None, **facts: Any) -> "User":
        """A saved user; without a password nobody can sign in as them."""
        user = self.model(email=self.normalize_email(email).lower(), **facts)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **facts: Any) -> "User":
        """A user who may also use Django's admin."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **facts)

    def get_by_natural_key(self, username: str | None) -> "User":
        """The user with this address, whatever its case."""
        return self.get(email__iexact=username)


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account on this install."""

    class Theme(models.TextChoices):
        """How the pages look; `auto` follows the device."""

        AUTO = "auto", _("Like the device")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(_("e-mail"), unique=True)
    name = models.CharField(_("name"), max_length=120)
    language = models.CharField(max_length=5, choices=settings.LANGUAGES, default="en")
    theme = models.CharField(max_length=5, choices=Theme.choices, default=Theme.AUTO)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects: ClassVar[UserManager] = UserManager()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(Lower("email"), name="one_user_per_address")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def initials(self) -> str:
        """One or two capitals to stand for the person."""
        words = self.name.split()
        return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper() or "?"


class InstallClaim(models.Model):
    """The one-time right to become the owner of a fresh install. Only a hash of the token is kept."""

    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"claim of {self.created_at:%Y-%m-%d}"
