"""Events by mcp-webhook-events, over HTTP. The tool "order" emits an event and delivers what is due."""

import asyncio
import socket
import sys
import tempfile

import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp_webhook_events import EventDefinition, McpEvents, SafeHttp

REGION = {"type": "object", "properties": {"region": {"type": "string"}}, "required": ["region"]}
ORDER = {"type": "object", "properties": {"region": {"type": "string"}, "id": {"type": "string"}}, "required": ["id"]}

server = MCPServer("shop")
events = McpEvents(
    server,
    store=tempfile.mkdtemp() + "/events.sqlite3",
    definitions=[
        EventDefinition(
            name="order.created", description="A new order.", input_schema=REGION, payload_schema=ORDER
        )
    ],
    http=SafeHttp(allow_insecure_for_tests=True),
)
events.install()


@server.tool()
def order(id: str, region: str) -> str:
    count = events.publish("order.created", {"id": id, "region": region}, event_id=id)
    stats = events.deliver_pending()
    return f"{count} {stats['delivered']}"


def serve(port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port))
    app = server.streamable_http_app(stateless_http=True, json_response=True)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn_server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    asyncio.run(uvicorn_server.serve(sockets=[listener]))


serve(int(sys.argv[sys.argv.index("--port") + 1]))
