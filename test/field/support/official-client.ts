/** The official client, from the packages of the published servers. */
import { fileURLToPath } from 'node:url'
import type { ServerEntry } from './servers.ts'

const SDK = fileURLToPath(new URL('../servers/node_modules/@modelcontextprotocol/sdk/dist/esm/client/', import.meta.url))

/** A tool, as the server lists it. */
export interface OfficialTool {
  readonly name: string
  readonly inputSchema: object
}

/** A connection of the official client. */
export interface OfficialClient {
  /** Fetches all pages of the tools. */
  tools(): Promise<OfficialTool[]>
  call(name: string, args: object): Promise<{ readonly content: readonly object[]; readonly isError?: boolean }>
  close(): Promise<void>
}

/** Connects to a URL, or to a program that it starts. */
export async function connectOfficial(target: string | ServerEntry, capabilities: object = {}): Promise<OfficialClient> {
  const { Client } = await import(`${SDK}index.js`)
  const client = new Client({ name: 'official', version: '1' }, { capabilities })
  await client.connect(await transportTo(target))
  return {
    async tools() {
      const tools: OfficialTool[] = []
      let cursor: string | undefined
      do {
        const page = await client.listTools({ ...(cursor && { cursor }) })
        tools.push(...page.tools)
        cursor = page.nextCursor
      } while (cursor)
      return tools
    },
    call: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  }
}

async function transportTo(target: string | ServerEntry): Promise<unknown> {
  if (typeof target === 'string') {
    const { StreamableHTTPClientTransport } = await import(`${SDK}streamableHttp.js`)
    return new StreamableHTTPClientTransport(new URL(target))
  }
  const { StdioClientTransport } = await import(`${SDK}stdio.js`)
  return new StdioClientTransport({ ...target, env: { ...process.env, ...target.env }, stderr: 'ignore' })
}
