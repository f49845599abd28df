"""The embedded default on one's own machine: no TLS, a secret key kept beside the data."""

import secrets

from config.settings.base import *
from config.settings.base import DATA_DIR, env

DEBUG = env.flag("QUADERN_DEBUG", False)
ALLOWED_HOSTS = env.items("QUADERN_ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))


def _kept_secret_key() -> str:
    file = DATA_DIR / "secret_key"
    if not file.exists():
        file.touch(mode=0o600)
        file.write_text(secrets.token_urlsafe(64))
    return file.read_text()


SECRET_KEY = env.text("QUADERN_SECRET_KEY", "") or _kept_secret_key()
