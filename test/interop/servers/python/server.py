"""The official Python SDK, of both eras: over stdio, or at `/mcp`, and at `/sse` (legacy only)."""

import asyncio
import os
import socket
import sys
import warnings
from typing import Annotated

import anyio
import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, ListRoots, Resolve, Sample
from mcp_types import Completion, CreateMessageResult, ListRootsResult, SamplingMessage, TextContent
from pydantic import BaseModel

warnings.simplefilter("ignore")
server = MCPServer("python", version="1.0.0", instructions="Made for other clients.", log_level="ERROR")
state = {"version": 1, "cancelled": 0}


class Sum(BaseModel):
    sum: float


class Person(BaseModel):
    name: str
    age: int


def is_modern(ctx: Context) -> bool:
    return (ctx.protocol_version or "") >= "2026"


async def ask_person() -> Elicit[Person]:
    return Elicit("Who are you?", Person)


async def ask_model() -> Sample:
    return Sample([SamplingMessage(role="user", content=TextContent(type="text", text="Say hi"))], max_tokens=10)


async def ask_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool(structured_output=False)
async def count(ctx: Context) -> str:
    for step in range(1, 4):
        await ctx.report_progress(step, 3, f"step {step}")
        await anyio.sleep(0.02)
    return "counted"


@server.tool(structured_output=False)
async def chat(ctx: Context) -> str:
    await ctx.log("debug", "quiet")
    await ctx.log("error", {"loud": True}, logger_name="chat")
    return "chatted"


@server.tool(structured_output=False)
async def greet(person: Annotated[Person, Resolve(ask_person)]) -> str:
    return f"Hello {person.name}, {person.age}"


@server.tool(structured_output=False)
async def think(thought: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    return thought.content.text


@server.tool(structured_output=False)
async def where(places: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    return ",".join(str(root.uri) for root in places.roots)


@server.tool(structured_output=False)
async def wait() -> str:
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        state["cancelled"] += 1
        raise
    return "waited"


@server.tool(structured_output=False)
def cancelled() -> str:
    return str(state["cancelled"])


@server.tool(structured_output=False)
def era(ctx: Context) -> str:
    return "modern" if is_modern(ctx) else "legacy"


@server.tool(structured_output=False)
def exit() -> str:
    os._exit(7)


def late() -> str:
    return "late"


@server.tool(structured_output=False)
async def change(ctx: Context) -> str:
    state["version"] += 1
    if state["version"] == 2:
        server.add_tool(late, structured_output=False)
    if is_modern(ctx):
        await ctx.notify_resource_updated("memo://a")
        await ctx.notify_tools_changed()
    else:
        await ctx.session.send_resource_updated("memo://a")
        await ctx.session.send_tool_list_changed()
    return "changed"


@server.resource("memo://logo", mime_type="image/png")
def logo() -> bytes:
    return bytes([1, 2, 3])


@server.resource("memo://{name}", mime_type="text/plain")
def memo(name: str) -> str:
    return f"{name} v{state['version']}"


@server.prompt()
def review(code: str, language: str = "") -> str:
    return f"Review {code}"


@server.completion()
async def complete(ref, argument, context):
    known = (context and context.arguments) or {}
    values = ["alpha", "beta"] if argument.name == "name" else ["typescript", known.get("code", "rust")]
    return Completion(values=[value for value in values if value.startswith(argument.value)])


def serve(port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port))
    app = server.streamable_http_app()
    app.router.routes.extend(server.sse_app().routes)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn_server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    asyncio.run(uvicorn_server.serve(sockets=[listener]))


if "--stdio" in sys.argv:
    server.run("stdio")
else:
    serve(int(sys.argv[sys.argv.index("--port") + 1]) if "--port" in sys.argv else 0)
