"""What every shape of Quadern shares. Values come from the environment, see docs/reference/settings.md."""

from pathlib import Path

from csp.constants import NONE, SELF
from django.utils.translation import gettext_lazy as _

from config.env import Env

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent.parent
DATA_DIR = env.folder("QUADERN_DATA", BASE_DIR / "data")

DEBUG = False
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign_in"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "channels",
    "csp",
    "apps.accounts",
    "apps.vaults",
    "apps.jobs",
    "apps.library",
    "apps.notebooks",
    "apps.ingestion",
    "apps.chat",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "apps.accounts.middleware.PersonalLanguageMiddleware",
    "apps.vaults.middleware.ActorMiddleware",
    "apps.common.problem.ProblemMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "apps.vaults.pages.frame_context",
                "apps.notebooks.pages.running_context",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "apps.common.display",
            ],
        },
    }
]

# --- data -----------------------------------------------------------------------------------
DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR / "quadern.sqlite3")}
MEDIA_ROOT = DATA_DIR / "files"
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(MEDIA_ROOT)},
    },
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static" / "dist"]
# PDF.js brings 200 files that are compressed already, or too rarely asked for to be worth the wait.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = (
    *("png", "jpg", "webp", "woff2", "gz", "br", "zip"),
    *("bcmap", "icc", "pfb", "ttf", "wasm"),
)
FILE_UPLOAD_TEMP_DIR = str(env.folder("QUADERN_UPLOAD_TEMP", DATA_DIR / "uploads"))

# --- broker, channel layer, cache: one Redis or Valkey, by number of its database --------------
REDIS_URL = env.text("REDIS_URL", f"unix://{DATA_DIR / 'valkey.sock'}")
CHANNEL_LAYERS: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": "quadern"},
    }
}
CACHES: dict[str, dict[str, object]] = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "quadern",
        # A Redis that neither answers nor refuses must not hold a request.
        "OPTIONS": {"socket_timeout": 2, "socket_connect_timeout": 2},
    }
}
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://")
if REDIS_URL == "memory://":  # one process by itself, as `./run ask` is
    CELERY_BROKER_URL = "memory://localhost/"
    CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# --- sessions, cookies, headers -------------------------------------------------------------
SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_REFERRER_POLICY = "same-origin"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF, "data:"],
        "connect-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    }
}

# Django spools larger files to disk; these bound what is held in memory and how much a form holds.
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 20
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]

# --- words ----------------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = env.text("QUADERN_TIME_ZONE", "UTC")
LANGUAGE_CODE = "en"
LANGUAGES = [
    ("en", _("English")),
    ("ca", _("Catalan")),
    ("es", _("Spanish")),
    ("pt", _("Portuguese")),
    ("nl", _("Dutch")),
]
LOCALE_PATHS = [BASE_DIR / "locale"]

# --- API ------------------------------------------------------------------------------------
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["apps.accounts.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.common.http.BoundedJSONParser"],
    "EXCEPTION_HANDLER": "apps.common.problem.answer_api_error",
}

# --- Quadern --------------------------------------------------------------------------------
MAX_UPLOAD_MB = env.number("MAX_UPLOAD_MB", 2048, low=1, high=16384)
URL_REFRESH_TTL_SECONDS = env.first_number(
    ("NOTEBOOK_URL_REFRESH_TTL_SECONDS", "GNOSI_NOTEBOOK_URL_REFRESH_TTL_SECONDS"),
    21600,
    low=60,
    high=604800,
)
COMPLETED_REVISION_RETENTION = env.first_number(
    ("NOTEBOOK_COMPLETED_REVISION_RETENTION", "GNOSI_NOTEBOOK_COMPLETED_REVISION_RETENTION"),
    3,
    low=1,
    high=1000,
)
AUDIT_REVISION_RETENTION = env.first_number(
    ("NOTEBOOK_AUDIT_REVISION_RETENTION", "GNOSI_NOTEBOOK_AUDIT_REVISION_RETENTION"),
    20,
    low=1,
    high=10000,
)
TRUSTED_PROXIES = env.number("QUADERN_TRUSTED_PROXIES", 0, low=0, high=10)
FETCH_ALLOWED_HOSTS = env.items("QUADERN_FETCH_ALLOWED_HOSTS")
FETCH_ALLOWED_PORTS = [
    int(port) for port in env.items("QUADERN_FETCH_ALLOWED_PORTS", ("80", "443"))
]
GROUNDING_POLICY = env.choice("ACL_GROUNDING_POLICY", "anchored", ("strict", "anchored", "hybrid"))
MAX_TURNS_ON_SCREEN = env.number("MAX_TURNS", 30, low=1, high=1000)
CHAT_PROVIDER = env.choice("QUADERN_CHAT_PROVIDER", "extractive", ("extractive",))
DATABASE_THREADS = env.number("QUADERN_DATABASE_THREADS", 8, low=1, high=64)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": env.text("QUADERN_LOG_LEVEL", "INFO")},
}
