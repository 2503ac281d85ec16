"""The official Python SDK behind uvicorn, with the event loop and the parser that make uvicorn fastest."""

import argparse
import json
import warnings
from typing import Annotated, Literal

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Elicit, Resolve
from pydantic import BaseModel, Field

warnings.simplefilter("ignore")

parser = argparse.ArgumentParser()
parser.add_argument("--transport", default="http")
parser.add_argument("--mode", default="modern")
parser.add_argument("--tools", type=int, default=1)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--framing", default="json")
options, _ = parser.parse_known_args()
server = MCPServer("python", version="1.0.0", log_level="ERROR")


class Sum(BaseModel):
    sum: float


class Person(BaseModel):
    name: str


async def ask_person() -> Elicit[Person]:
    return Elicit("What is your name?", Person)


@server.tool(description="Adds two numbers")
async def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool(description="Gives a text of that many bytes", structured_output=False)
async def blob(bytes: int) -> str:
    return "x" * bytes


@server.tool(description="Returns the length of a text", structured_output=False)
async def measure(text: str) -> str:
    return str(len(text))


@server.tool(description="Reports progress that often", structured_output=False)
async def progress(count: int, ctx: Context) -> str:
    for step in range(1, count + 1):
        await ctx.report_progress(step, count)
    return "done"


@server.tool(description="Asks for a name once", structured_output=False)
async def ask(person: Annotated[Person, Resolve(ask_person)]) -> str:
    return f"Hello, {person.name}"


async def look_up(
    query: Annotated[str, Field(description="What to look for")],
    limit: Annotated[int, Field(description="The most results that are wanted", ge=1, le=100)] = 10,
    exact: Annotated[bool, Field(description="Whether the whole word has to match")] = False,
    order: Annotated[Literal["name", "date", "size"], Field(description="How the results are sorted")] = "name",
    tags: Annotated[list[str], Field(description="Tags that a result has to have")] = [],
) -> str:
    return query


for number in range(1, options.tools):
    name = f"tool_{number}"
    description = f"Searches the collection {name} and gives back what it finds there"
    server.add_tool(look_up, name=name, description=description, structured_output=False)


class Listening(uvicorn.Server):
    """A server that prints its port."""

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        print(json.dumps({"port": self.servers[0].sockets[0].getsockname()[1]}), flush=True)


def serve() -> None:
    stateless = options.mode == "stateless"
    app = server.streamable_http_app(json_response=options.framing == "json", stateless_http=stateless)
    config = uvicorn.Config(app, host="127.0.0.1", port=options.port, log_level="error", loop="uvloop", http="httptools")
    Listening(config).run()


if options.transport == "stdio":
    server.run("stdio")
else:
    serve()
