import type { Serveable } from '../../index.ts'
import { type Command, defineCommand, type ValuesOf } from '../command.ts'
import { guardStdout, type Io } from '../io.ts'
import { isChild, runChild } from '../serve/child.ts'
import { serveWatched } from '../serve/watched.ts'
import { misused, Stop } from '../stop.ts'
import { loadServer } from '../target/module.ts'

const FLAGS = {
  port: { type: 'string', short: 'p', value: 'PORT', description: 'Listen here; 3000 by default, 0 takes any free one' },
  host: {
    type: 'string',
    value: 'ADDRESS',
    description: 'Listen on this address; 127.0.0.1 by default. Others need --allow-host',
  },
  path: { type: 'string', value: 'PATH', description: 'The path of the endpoint; /mcp by default' },
  'allow-host': { type: 'string', multiple: true, value: 'NAME', description: 'A name by which clients reach the server' },
  'allow-origin': { type: 'string', multiple: true, value: 'ORIGIN', description: 'An origin whose pages may call the server' },
  stdio: { type: 'boolean', description: 'Serve over stdin and stdout instead' },
  watch: { type: 'boolean', short: 'w', description: 'Start the module anew when its code changes; connections stay open' },
} as const

/** `portcall serve`: a module over HTTP or stdio. */
export const serve: Command = defineCommand({
  name: 'serve',
  summary: 'Serves a module',
  takes: 'none',
  words: ['MODULE'],
  details: [
    'MODULE exports a server: as default, as server, or as its only one. It must not serve it itself.',
    `With --watch the code in its folder is watched. Clients, also those over stdio, keep their connection when it changes, and hear that
the lists have changed. A module that does not start leaves the last one in place. HTTP headers and who is signed in are not known to it then.`,
  ],
  flags: FLAGS,
  examples: ['portcall serve server.js', 'portcall serve server.js --port 8080 --watch', 'portcall serve server.js --stdio'],
  async run({ words: [path = ''], flags, io }) {
    process.exitCode = 0
    if (isChild) return runChild(path)
    const restore = guardStdout()
    const server = flags.watch ? serveWatched(path, io) : await loadServer(path)
    restore()
    return flags.stdio ? overStdio(server) : overHttp(server, flags, io)
  },
})

async function overStdio(server: Serveable): Promise<void> {
  const { serveStdio } = await import('../../stdio.ts')
  await serveStdio(server)
}

/** Serves until a signal ends the process. */
async function overHttp(server: Serveable, flags: ValuesOf<typeof FLAGS>, io: Io): Promise<never> {
  const node = await import('../../node.ts')
  const { port = '3000', host, path, 'allow-host': allowedHosts, 'allow-origin': allowedOrigins } = flags
  if (!/^\d{1,5}$/.test(port)) throw misused(`--port needs a number, not ${port}`)
  const options = {
    port: Number(port),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
    ...(allowedHosts.length > 0 && { allowedHosts }),
    ...(allowedOrigins.length > 0 && { allowedOrigins }),
  }
  const { url } = await node.serve(server, options).catch((error: unknown) => {
    throw new Stop('usage', error instanceof Error ? error.message : String(error))
  })
  if (io.json) io.value({ url })
  else io.data(`Listening at ${url}`)
  guardStdout()
  return new Promise(() => {})
}
