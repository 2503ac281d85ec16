/** The client of the official SDK 2.x. */
import { Client } from '@modelcontextprotocol/client'
import { runOfficialClient } from './official.mjs'

await runOfficialClient({
  createClient: ({ mode }) =>
    new Client({ name: 'official-2', version: '1.0.0' }, { versionNegotiation: { mode: mode === 'modern' ? 'auto' : 'legacy' } }),
  loadHttp: () => import('@modelcontextprotocol/client'),
  loadStdio: () => import('@modelcontextprotocol/client/stdio'),
  loadServer: () => import('@modelcontextprotocol/server'),
})
