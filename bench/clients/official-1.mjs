/** The client of the official SDK 1.x. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { runOfficialClient } from './official.mjs'

await runOfficialClient({
  createClient: () => new Client({ name: 'official-1', version: '1.0.0' }),
  loadHttp: () => import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  loadStdio: () => import('@modelcontextprotocol/sdk/client/stdio.js'),
  loadServer: async () => ({
    ...(await import('@modelcontextprotocol/sdk/inMemory.js')),
    ...(await import('@modelcontextprotocol/sdk/server/mcp.js')),
  }),
})
