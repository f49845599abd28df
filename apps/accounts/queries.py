"""Looking up accounts, for code that has no person in front of it."""

from apps.accounts.models import User


def account_at(email: str) -> User | None:
    """The account with this address, whatever its case."""
    return User.objects.filter(email__iexact=email).first()


def first_account() -> User | None:
    """The account that was made first: the owner of the install."""
    return User.objects.order_by("created_at").first()


def is_claimed() -> bool:
    """Whether the install has an account."""
    return User.objects.exists()
