"""Calls a gateway with the official Python client, `client.py URL MODE`, and prints what it received as JSON."""

import asyncio
import json
import sys

from mcp import Client
from mcp_types import ElicitResult


async def answer(context, params) -> ElicitResult:
    return ElicitResult(action="accept", content={"name": "Ada", "age": 36})


async def main(url: str, mode: str) -> None:
    async with Client(url, mode=mode, elicitation_callback=answer) as client:
        tools = await client.list_tools()
        resources = await client.list_resources()
        echo = await client.call_tool("everything__echo", {"message": "hi"})
        greet = await client.call_tool("python__greet", {})
        prompt = await client.get_prompt("python__review", {"code": "x"})
        uri = next(resource.uri for resource in resources.resources if "logo" in str(resource.uri))
        logo = await client.read_resource(uri)
        received = {
            "revision": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "echo": echo.content[0].text,
            "greet": greet.content[0].text,
            "prompt": prompt.messages[0].content.text,
            "logo": logo.contents[0].blob,
        }
        print(json.dumps(received))


asyncio.run(main(sys.argv[1], sys.argv[2]))
