/** The servers that the page is tried with: the fixture in each revision over each transport, and servers of others. */
import { spawn } from 'node:child_process'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { serve } from 'portcall/node'
import { preparePython } from '../../../interop/foreign.mjs'
import { choosePort } from '../../../interop/servers/listen.ts'
import { kill, type Program, start } from '../../../interop/servers/programs.ts'
import { createMemoServer } from '../../fixtures/memo-server.mjs'
import { EVERYTHING, MEMO, type Vocabulary } from './vocabulary.ts'

/** The features of a server that the page can use. */
export type Feature =
  | 'completion'
  | 'elicitation'
  | 'list changes'
  | 'logging'
  | 'roots'
  | 'structured content'
  | 'subscriptions'
  | 'tasks'
  | 'URL elicitation'

/** A running server: what to type into the page, and how to end it. */
interface RunningServer {
  readonly target: string
  close(): Promise<unknown>
}

/** A server in a revision over a transport. */
export interface ServerRow {
  readonly name: string
  /** The revision to choose on the page. Default: automatic. */
  readonly revision?: string
  /** The era to choose on the page. Default: detected. */
  readonly era?: 'HTTP+SSE'
  /** The revision and the transport that the page shows. */
  readonly shows: { readonly revision: string; readonly transport: string }
  readonly vocabulary: Vocabulary
  /** True if it is only connected to and called once, because what is above its transport is the same as in another row. */
  readonly isBrief?: true
  /** The features that it lacks, and why. */
  readonly lacks: { readonly [Name in Feature]?: string }
  start(): Promise<RunningServer>
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const program =
  (path: string, ...args: string[]) =>
  async (): Promise<RunningServer> => ({
    target: [process.execPath, at(path), ...args].join(' '),
    close: async () => {},
  })

const LATER = (revision: string): string => `it came with ${revision}`

/** Returns the features that a revision lacks. */
function missingIn(revision: string): ServerRow['lacks'] {
  return {
    ...(revision < '2025-06-18' && { elicitation: LATER('2025-06-18'), 'structured content': LATER('2025-06-18') }),
    ...(revision < '2025-11-25' && { 'URL elicitation': LATER('2025-11-25'), tasks: LATER('2025-11-25') }),
  }
}

const TRANSPORTS: { readonly [transport: string]: () => Promise<RunningServer> } = {
  stdio: program('../../fixtures/memo-server.mjs'),
  'streamable-http': serveMemo,
}

async function serveMemo(): Promise<RunningServer> {
  const { url, close } = await serve(createMemoServer(), { port: 0, handleProcessSignals: false })
  return { target: url, close }
}

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

/** The revisions of which each feature is tried over stdio as well. */
const OVER_STDIO = ['2025-11-25', '2026-07-28']

const BY_TRANSPORT: readonly ServerRow[] = Object.entries(TRANSPORTS).flatMap(([transport, start]) =>
  REVISIONS.map((revision) => ({
    name: `the fixture in ${revision} over ${transport}`,
    revision,
    ...(transport === 'stdio' && !OVER_STDIO.includes(revision) && { isBrief: true as const }),
    shows: { revision, transport },
    vocabulary: MEMO,
    lacks: missingIn(revision),
    start,
  })),
)

const OLDEST: ServerRow = {
  name: 'the fixture in 2024-11-05 over http+sse',
  revision: '2024-11-05',
  era: 'HTTP+SSE',
  shows: { revision: '2024-11-05', transport: 'http+sse' },
  vocabulary: MEMO,
  lacks: missingIn('2024-11-05'),
  start: serveMemo,
}

/** The fixture in each revision over each transport. */
export const FIXTURES: readonly ServerRow[] = [...BY_TRANSPORT, OLDEST]

const EVERYTHING_PROGRAM = '../../../interop/node_modules/@modelcontextprotocol/server-everything/dist/index.js'

async function serveEverything(transport: string, path: string): Promise<RunningServer> {
  const port = await choosePort()
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(process.execPath, [at(EVERYTHING_PROGRAM), transport], { stdio: ['ignore', 'ignore', 'pipe'], env })
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('port')) break
  child.stderr.resume()
  return { target: `http://127.0.0.1:${port}${path}`, close: () => kill(child) }
}

const everything = (transport: string, start: ServerRow['start']): ServerRow => ({
  name: `server-everything over ${transport}`,
  shows: { revision: '2025-11-25', transport },
  vocabulary: EVERYTHING,
  lacks: { 'list changes': 'its lists do not change', logging: 'its log messages come with a delay of seconds' },
  start,
})

/** The official server, which has everything of 2025-11-25, over each transport. */
export const OFFICIAL: readonly ServerRow[] = [
  everything('stdio', program(EVERYTHING_PROGRAM, 'stdio')),
  everything('streamable-http', () => serveEverything('streamableHttp', '/mcp')),
  everything('http+sse', () => serveEverything('sse', '/sse')),
]

const python: Program = preparePython()

const { array: _array, ...PYTHON_MEMO } = MEMO

function pythonRow(transport: string, path: string | undefined, revision: string): ServerRow {
  const isLegacy = revision < '2026'
  return {
    name: `the Python SDK in ${revision} over ${transport}`,
    ...(isLegacy && path !== '/sse' && { revision }),
    shows: { revision, transport },
    vocabulary: PYTHON_MEMO,
    lacks: {
      tasks: 'the server has none',
      'URL elicitation': 'the server has none',
      ...(isLegacy && {
        logging: 'it has no logging/setLevel',
        'list changes': 'it declares changes of lists in the newest revision only',
        subscriptions: 'it has no resources/subscribe',
      }),
    },
    async start() {
      if ('missing' in python) throw new Error(python.missing)
      if (path === undefined) return { target: [python.command, ...python.args, '--stdio'].join(' '), close: async () => {} }
      const { origin, kill: close } = await start(python)
      return { target: `${origin}${path}`, close }
    },
  }
}

/** The official Python SDK in both eras over each transport. Empty if there is no Python. */
export const PYTHON: readonly ServerRow[] =
  'missing' in python
    ? []
    : [
        pythonRow('stdio', undefined, '2026-07-28'),
        pythonRow('streamable-http', '/mcp', '2026-07-28'),
        pythonRow('streamable-http', '/mcp', '2025-11-25'),
        pythonRow('http+sse', '/sse', '2025-11-25'),
      ]
