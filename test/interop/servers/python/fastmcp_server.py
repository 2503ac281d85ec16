"""FastMCP for Python, over stdio."""

from dataclasses import dataclass

from fastmcp import Context, FastMCP

server = FastMCP("fastmcp", version="1.0.0")


@dataclass
class Sum:
    sum: float


@dataclass
class Person:
    name: str
    age: int


@server.tool
def add(a: float, b: float) -> Sum:
    return Sum(sum=a + b)


@server.tool(output_schema=None)
async def greet(ctx: Context) -> str:
    answer = await ctx.elicit("Who are you?", Person)
    return f"Hello {answer.data.name}, {answer.data.age}"


@server.resource("memo://logo", mime_type="image/png")
def logo() -> bytes:
    return bytes([1, 2, 3])


@server.prompt
def review(code: str) -> str:
    return f"Review {code}"


server.run("stdio", show_banner=False)
