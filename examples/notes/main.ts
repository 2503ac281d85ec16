/**
 * Serves a folder of notes: `npm start [-- [--stdio] DIR]`.
 * Over HTTP, PORT (3000) and HOST (127.0.0.1) set the address, ALLOWED_HOSTS (comma-separated) the host names that remote clients use, and
 * DATABASE (portcall.db) the file with the sessions and the index, so that the server can restart at any time and continue.
 */
import { parseArgs } from 'node:util'
import { serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'
import { sqliteStores } from 'portcall/stores/sqlite'
import { openNotebook } from './notebook.ts'
import { createNotes } from './server.ts'

const { values, positionals } = parseArgs({ options: { stdio: { type: 'boolean' } }, allowPositionals: true })
const { PORT = '3000', HOST = '127.0.0.1', ALLOWED_HOSTS, DATABASE = 'portcall.db' } = process.env
const allowedHosts = ALLOWED_HOSTS?.split(',')

try {
  const stores = values.stdio ? undefined : sqliteStores(DATABASE)
  const notebook = await openNotebook(positionals[0] ?? 'docs', stores?.store)
  const what = `Serving the notes in ${notebook.root}`
  if (values.stdio) {
    console.error(`${what} over stdio`)
    await serveStdio(createNotes(notebook))
  } else {
    const server = createNotes(notebook, stores)
    const serving = await serve(server, { port: Number(PORT), host: HOST, ...(allowedHosts && { allowedHosts }) })
    const url = allowedHosts ? `http://${allowedHosts[0]}:${serving.port}/mcp` : serving.url
    console.log(`${what} at ${url}

Connect a client:
  by its URL    ${url}
  by mcp.json   { "mcpServers": { "notes": { "url": "${url}" } } }
  Claude Code   claude mcp add --transport http notes ${url}`)
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
