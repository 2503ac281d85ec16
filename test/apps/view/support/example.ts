import { type Client, connect } from 'portcall/client'

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

/** An example's server, with the page of its view and the result of its tool. */
export interface OpenedExample {
  readonly client: Client
  readonly html: string
  readonly input: Record<string, unknown>
  readonly result: never
}

/** Connects to the server of an example, reads the view of a tool and calls the tool. */
export async function openExample(
  server: Parameters<typeof connect>[0],
  tool: string,
  input: Record<string, unknown>,
): Promise<OpenedExample> {
  const client = await connect(server, { capabilities: APPS })
  const listed = (await client.tools().toArray()).find(({ name }) => name === tool)
  const { ui } = (listed?._meta ?? {}) as { ui?: { resourceUri: string } }
  const { contents } = await client.readResource(ui?.resourceUri ?? '')
  const { text } = contents[0] as { text: string }
  return { client, html: text, input, result: (await client.callTool(tool, input)) as never }
}
