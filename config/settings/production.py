"""The service shape: refuses to start without a secret key, allowed hosts and TLS."""

from config.settings.base import *
from config.settings.base import env

SECRET_KEY = env.text("QUADERN_SECRET_KEY")
ALLOWED_HOSTS = env.items("QUADERN_ALLOWED_HOSTS") or [env.text("QUADERN_ALLOWED_HOSTS")]
# Off only on a private network, or where a proxy in front cannot tell us about its TLS.
TLS = env.choice("QUADERN_TLS", "on", ("on", "off")) == "on"
CSRF_TRUSTED_ORIGINS = [
    f"{'https' if TLS else 'http'}://{host.lstrip('.')}" for host in ALLOWED_HOSTS
]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = TLS
SECURE_HSTS_SECONDS = TLS and env.number("QUADERN_HSTS_SECONDS", 31536000, low=1, high=63072000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = TLS
SECURE_HSTS_PRELOAD = TLS
SESSION_COOKIE_SECURE = TLS
CSRF_COOKIE_SECURE = TLS
# Health checks come from inside the network, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
