#!/usr/bin/env bash
# Django OAuth Toolkit 3.4.1: introspection of a token that a user has authorized says username, and never sub, which a resource server
# identifies users by; all users of a client look the same to one that reads only sub and client_id. And the metadata lists the device_code
# grant, without the device_authorization_endpoint (RFC 8628, section 4) that clients need to use it.
#
# Needs Python 3.10 and pip. Runs in one process with a database in memory; no network listener.
# Exits with 0 if the toolkit behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check 'django==5.2.19' 'django-oauth-toolkit==3.4.1'

cat > run.py <<'RUN'
import sys
from datetime import timedelta

import django
from django.conf import settings
from django.core.management import call_command

settings.configure(
    SECRET_KEY='x', ALLOWED_HOSTS=['testserver'], ROOT_URLCONF='oauth2_provider.urls', USE_TZ=True,
    DEFAULT_AUTO_FIELD='django.db.models.BigAutoField',
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}},
    INSTALLED_APPS=['django.contrib.auth', 'django.contrib.contenttypes', 'oauth2_provider'],
)
django.setup()
call_command('migrate', verbosity=0)

from django.contrib.auth.models import User  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402
from oauth2_provider.models import AccessToken, Application  # noqa: E402

app = Application.objects.create(client_id='app', client_secret='secret', client_type='confidential', authorization_grant_type='authorization-code', redirect_uris='https://app.example.com/')
http = Client()
answers = []
for name in ('ada', 'bob'):
    user = User.objects.create_user(name)
    AccessToken.objects.create(user=user, application=app, token=f'token-{name}', scope='read', expires=timezone.now() + timedelta(hours=1))
    answer = http.post('/introspect/', {'token': f'token-{name}', 'client_id': 'app', 'client_secret': 'secret'}).json()
    print(f'token of {name}:', {key: value for key, value in answer.items() if key != 'exp'})
    answers.append(answer)
metadata = http.get('/.well-known/oauth-authorization-server').json()
lists_device = 'urn:ietf:params:oauth:grant-type:device_code' in metadata['grant_types_supported']
print('device_code grant listed:', lists_device, '| device_authorization_endpoint:', metadata.get('device_authorization_endpoint'))
expected = all(one['active'] and 'sub' not in one and 'username' in one for one in answers)
expected = expected and lists_device and 'device_authorization_endpoint' not in metadata
print('No sub, and no device authorization endpoint.' if expected else 'CHANGED: this is not what was found.')
sys.exit(0 if expected else 1)
RUN

.venv/bin/pip list --disable-pip-version-check 2> /dev/null | grep '^django-oauth-toolkit '
.venv/bin/python run.py
