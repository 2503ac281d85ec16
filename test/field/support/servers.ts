import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGES = fileURLToPath(new URL('../servers/node_modules/', import.meta.url))

/** How a published server is started. None of them reaches anything outside this computer before a tool is called. */
interface PublishedServer {
  readonly package: string
  readonly args?: readonly string[]
  /** Settings that it requires before it starts. Credentials are made up: no tool that needs them is called. */
  readonly env?: Readonly<Record<string, string>>
}

const MADE_UP = 'made-up'

/** Published servers by name. */
export const SERVERS: { readonly [name: string]: PublishedServer } = {
  everything: { package: '@modelcontextprotocol/server-everything' },
  filesystem: { package: '@modelcontextprotocol/server-filesystem', args: ['.'] },
  memory: { package: '@modelcontextprotocol/server-memory' },
  thinking: { package: '@modelcontextprotocol/server-sequential-thinking' },
  playwright: { package: '@playwright/mcp', args: ['--headless'] },
  context7: { package: '@upstash/context7-mcp' },
  notion: { package: '@notionhq/notion-mcp-server', env: { NOTION_TOKEN: MADE_UP } },
  firecrawl: { package: 'firecrawl-mcp', env: { FIRECRAWL_API_KEY: MADE_UP } },
  exa: { package: 'exa-mcp-server', env: { EXA_API_KEY: MADE_UP } },
  tavily: { package: 'tavily-mcp', env: { TAVILY_API_KEY: MADE_UP } },
  brave: { package: '@brave/brave-search-mcp-server', env: { BRAVE_API_KEY: MADE_UP } },
  mongodb: { package: 'mongodb-mcp-server', env: { MDB_MCP_TELEMETRY: 'disabled' } },
  figma: { package: 'figma-developer-mcp', args: ['--stdio'], env: { FIGMA_API_KEY: MADE_UP } },
  elasticsearch: {
    package: '@elastic/mcp-server-elasticsearch',
    env: { ES_URL: 'http://127.0.0.1:1', ES_API_KEY: MADE_UP },
  },
  charts: { package: '@antv/mcp-server-chart' },
  mui: { package: '@mui/mcp' },
  next: { package: 'next-devtools-mcp', env: { NEXT_TELEMETRY_DISABLED: '1' } },
  kubernetes: { package: 'mcp-server-kubernetes' },
  runner: { package: 'mcp-server-code-runner' },
  git: { package: '@cyanheads/git-mcp-server' },
  pinecone: { package: '@pinecone-database/mcp' },
  mapbox: { package: '@mapbox/mcp-server', env: { MAPBOX_ACCESS_TOKEN: 'pk.eyJ1IjoibWFkZS11cCIsImEiOiJtYWRlLXVwIn0.made-up' } },
  hubspot: { package: '@hubspot/mcp-server', env: { PRIVATE_APP_ACCESS_TOKEN: MADE_UP } },
  puppeteer: { package: 'puppeteer-mcp-server' },
  currents: { package: '@currents/mcp', env: { CURRENTS_API_KEY: MADE_UP } },
  eslint: { package: '@eslint/mcp' },
}

/** An entry of `mcpServers`. */
export interface ServerEntry {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Returns the entry of a server for the file of a host. */
export function entryOf(name: string): ServerEntry {
  const { package: packageName, args = [], env = {} } = SERVERS[name] as PublishedServer
  const { bin } = JSON.parse(readFileSync(join(PACKAGES, packageName, 'package.json'), 'utf8'))
  const [file] = typeof bin === 'string' ? [bin] : Object.values<string>(bin)
  return { command: process.execPath, args: [join(PACKAGES, packageName, file ?? ''), ...args], env }
}
