#!/usr/bin/env bash
# Python SDK mcp 2.3.0: the metadata of its authorization server lists client_secret_basic, but a token request that authenticates only with
# the Authorization header, as RFC 6749, section 2.3.1 describes, is refused: 401 invalid_client "Missing client_id". The server looks for
# client_id only in the form; with it there, the same request succeeds.
#
# Needs Python 3.10 and pip. Uses the SDK's own routes with a provider in memory, in one process; no network listener.
# Exits with 0 if the SDK behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check 'mcp==2.3.0' 'httpx==0.28.1'

cat > run.py <<'RUN'
import asyncio
import base64
import hashlib
import sys
import time

import httpx
from mcp.server.auth.provider import AuthorizationCode, construct_redirect_uri
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions
from mcp.shared.auth import OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette

ORIGIN = 'http://127.0.0.1:8000'
REDIRECT = 'http://127.0.0.1:9000/callback'
VERIFIER = 'v' * 64


class Provider:
    clients, codes = {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client):
        self.clients[client.client_id] = client

    async def authorize(self, client, params):
        code = f'code-{len(self.codes)}'
        self.codes[code] = AuthorizationCode(
            code=code, client_id=client.client_id, redirect_uri=params.redirect_uri, scopes=['read'], expires_at=time.time() + 60,
            redirect_uri_provided_explicitly=True, code_challenge=params.code_challenge,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client, code):
        return self.codes.get(code)

    async def exchange_authorization_code(self, client, code):
        return OAuthToken(access_token='token', token_type='Bearer')


async def main():
    options = ClientRegistrationOptions(enabled=True, valid_scopes=['read'], default_scopes=['read'])
    app = Starlette(routes=create_auth_routes(Provider(), AnyHttpUrl(ORIGIN), client_registration_options=options))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ORIGIN) as http:
        metadata = (await http.get('/.well-known/oauth-authorization-server')).json()
        methods = metadata['token_endpoint_auth_methods_supported']
        body = {'redirect_uris': [REDIRECT], 'token_endpoint_auth_method': 'client_secret_basic'}
        client = (await http.post('/register', json=body)).json()
        digest = hashlib.sha256(VERIFIER.encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip('=')

        async def exchange(**form):
            query = {'response_type': 'code', 'client_id': client['client_id'], 'redirect_uri': REDIRECT, 'state': 's', 'scope': 'read',
                     'code_challenge': challenge, 'code_challenge_method': 'S256'}
            page = await http.get('/authorize', params=query)
            code = httpx.URL(page.headers['location']).params['code']
            data = {'grant_type': 'authorization_code', 'code': code, 'redirect_uri': REDIRECT, 'code_verifier': VERIFIER, **form}
            answer = await http.post('/token', data=data, auth=(client['client_id'], client['client_secret']))
            return answer.status_code, answer.text

        without = await exchange()
        named = await exchange(client_id=client['client_id'])
        print('token_endpoint_auth_methods_supported:', methods, '| registered as:', client['token_endpoint_auth_method'])
        print('Authorization header only:      ', *without)
        print('and client_id in the form:      ', *named)
        expected = 'client_secret_basic' in methods and without[0] == 401 and 'client_id' in without[1] and named[0] == 200
        print('client_secret_basic works only with client_id in the form.' if expected else 'CHANGED: this is not what was found.')
        return 0 if expected else 1


sys.exit(asyncio.run(main()))
RUN

.venv/bin/pip list --disable-pip-version-check 2> /dev/null | grep '^mcp '
.venv/bin/python run.py
