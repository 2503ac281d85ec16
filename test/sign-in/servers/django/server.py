"""An authorization server with Django OAuth Toolkit. Usage: server.py PORT FOLDER SETTINGS (JSON)."""

import json
import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt

PORT, FOLDER, CHOICES = int(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
ORIGIN = f"http://127.0.0.1:{PORT}"
LOGIN_PAGE = """<form method="post">{% csrf_token %}{{ form.as_p }}
<input type="hidden" name="next" value="{{ next }}"><button>Log in</button></form>"""

templates = FOLDER / "templates" / "registration"
templates.mkdir(parents=True)
(templates / "login.html").write_text(LOGIN_PAGE)

settings.configure(
    SECRET_KEY="only-for-tests",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "db.sqlite3", "OPTIONS": {"timeout": 30}}},
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "DIRS": [FOLDER / "templates"],
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
        }
    ],
    OAUTH2_PROVIDER={
        "SCOPES": {scope: scope for scope in [*CHOICES["scopes"], "introspection"]},
        "DEFAULT_SCOPES": CHOICES["scopes"][:1],
        "DCR_ENABLED": True,
        "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
        "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
        "OAUTH_DEVICE_VERIFICATION_URI": f"{ORIGIN}/device/",
    },
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken  # noqa: E402


@csrf_exempt
def control(_request, action):
    """Does what an administrator of the server could do."""
    if action == "forget-clients":
        Application.objects.exclude(client_id__in=[client["client_id"] for client in CHOICES["clients"]]).delete()
    if action == "revoke-tokens":
        for model in (RefreshToken, AccessToken, Grant):
            model.objects.all().delete()
    if action == "revoke-access-tokens":
        AccessToken.objects.all().update(expires="2020-01-01T00:00:00Z")
    return HttpResponse("done")


urlpatterns = [
    path("control/<str:action>", control),
    path("accounts/", include("django.contrib.auth.urls")),
    path("", include("oauth2_provider.urls", namespace="oauth2_provider")),
]


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_args):
        pass


call_command("migrate", verbosity=0)
for user in CHOICES["users"]:
    User.objects.create_user(user["name"], user["email"], user["password"])
for client in CHOICES["clients"]:
    Application.objects.create(**client)
make_server("127.0.0.1", PORT, get_wsgi_application(), Server, QuietHandler).serve_forever()
