"""An MCP server with FastMCP, and the authorization server of the Python SDK in it. Usage: server.py PORT SETTINGS (JSON)."""

import json
import sys
import uuid

from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from fastmcp.server.dependencies import get_access_token
from mcp.shared.auth import OAuthClientInformationFull
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

PORT, CHOICES = int(sys.argv[1]), json.loads(sys.argv[2])
ORIGIN = f"http://127.0.0.1:{PORT}"
PASSWORDS = {user["name"]: user["password"] for user in CHOICES["users"]}
READ, *MORE = CHOICES["scopes"]
PAGE = '<form method="post"><input name="username"><input type="password" name="password"><button>Log in</button></form>'


class Provider(InMemoryOAuthProvider):
    """Asks who signs in. The provider of FastMCP issues codes without a login page."""

    def __init__(self, **options):
        super().__init__(**options)
        self.pending = {}
        self.users = {}

    async def authorize(self, client, params):
        key = str(uuid.uuid4())
        self.pending[key] = (client, params)
        return f"{ORIGIN}/login?request={key}"

    async def finish(self, key, user):
        client, params = self.pending.pop(key)
        url = await super().authorize(client, params)
        code = next(reversed(self.auth_codes))
        self.auth_codes[code].subject = user
        return url

    async def exchange_authorization_code(self, client, authorization_code):
        return self.assign(await super().exchange_authorization_code(client, authorization_code), authorization_code.subject)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        return self.assign(await super().exchange_refresh_token(client, refresh_token, scopes), refresh_token.subject)

    def assign(self, tokens, user):
        self.access_tokens[tokens.access_token].subject = user
        self.refresh_tokens[tokens.refresh_token].subject = user
        return tokens


provider = Provider(
    base_url=ORIGIN,
    client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=CHOICES["scopes"]),
    revocation_options=RevocationOptions(enabled=True),
    required_scopes=[READ],
)
for client in CHOICES["clients"]:
    provider.clients[client["client_id"]] = OAuthClientInformationFull.model_validate(client)
mcp = FastMCP("notes", auth=provider)


@mcp.tool
def whoami() -> str:
    token = get_access_token()
    return json.dumps({"principal": token.subject, "clientId": token.client_id, "scopes": token.scopes})


@mcp.tool
def write() -> str:
    return "written"


@mcp.custom_route("/login", methods=["GET", "POST"])
async def login(request: Request) -> Response:
    if request.method == "GET":
        return HTMLResponse(PAGE)
    form = await request.form()
    if PASSWORDS.get(form["username"]) != form["password"]:
        return HTMLResponse("Wrong password", 403)
    return RedirectResponse(await provider.finish(request.query_params["request"], form["username"]), 302)


@mcp.custom_route("/control/{action}", methods=["GET", "POST"])
async def control(request: Request) -> Response:
    """Does what an administrator of the server could do."""
    action = request.path_params["action"]
    if action == "forget-clients":
        kept = {client["client_id"] for client in CHOICES["clients"]}
        provider.clients = {key: client for key, client in provider.clients.items() if key in kept}
    if action in ("revoke-tokens", "revoke-access-tokens"):
        provider.access_tokens.clear()
    if action == "revoke-tokens":
        provider.refresh_tokens.clear()
    if action == "require-all":
        provider.required_scopes.extend(MORE)
    if action == "require-one":
        del provider.required_scopes[1:]
    return PlainTextResponse("done")


mcp.run(transport="http", host="127.0.0.1", port=PORT, log_level="warning", show_banner=False)
