"""The service shape: refuses to start without a secret key, allowed hosts and TLS."""

from config.settings.base import *
from config.settings.base import env

SECRET_KEY = env.text("QUADERN_SECRET_KEY")
ALLOWED_HOSTS = env.items("QUADERN_ALLOWED_HOSTS") or [env.text("QUADERN_ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = [f"https://{host.lstrip('.')}" for host in ALLOWED_HOSTS]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_SSL_REDIRECT = True
SECURE_HSTS_SECONDS = env.number("QUADERN_HSTS_SECONDS", 31536000, low=1, high=63072000)
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True
# Health checks come from inside the network, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
