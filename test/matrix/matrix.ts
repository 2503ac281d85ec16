import { fileURLToPath } from 'node:url'
import type { JsonObject, Message } from 'portcall/jsonrpc'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { EVENTUALLY_TIMEOUT_MS } from '../../packages/portcall/test-kit/eventually.ts'
import { differenceOf } from '../gateway/differences.ts'
import { bridgeTo } from '../gateway/support/bridge-to.ts'
import { pairsOf } from '../gateway/support/pairs.ts'
import type { UpstreamSetup } from '../gateway/support/upstreams.ts'
import type { Driver, DriverOptions } from '../support/driver.ts'
import { open, type ServerFactory } from '../support/open-driver.ts'
import type { Outcome } from '../support/requests.ts'
import { eraOf, isStreamable, SETUPS, type Setup } from '../support/setups.ts'
import { createMatrixServer } from './server/index.ts'

const DIRECT: ServerFactory = {
  create: createMatrixServer,
  program: fileURLToPath(new URL('./server/stdio.ts', import.meta.url)),
}

/** A setup, and what is behind the bridge if there is one. */
export interface MatrixSetup extends Setup {
  upstream?: UpstreamSetup
}

/** `npm run gateway` sets `MATRIX_UPSTREAM` to the pairs of clients and servers that it tests through a bridge. */
const { MATRIX_UPSTREAM } = process.env
const MATRIX_SETUPS: readonly MatrixSetup[] = MATRIX_UPSTREAM
  ? pairsOf(MATRIX_UPSTREAM).map(({ front, upstream }) => ({ ...front, upstream }))
  : SETUPS

/** Setups in which a behavior does not exist, and the reason. */
export interface Gap {
  where(setup: Setup): boolean
  reason: string
}

/** The limits of the protocol and its revisions. The test report shows the reason of each skipped test. */
export const GAPS = {
  elicitation: { where: ({ revision }: Setup) => revision < '2025-06-18', reason: 'no elicitation before 2025-06-18' },
  urlElicitation: { where: ({ revision }: Setup) => revision < '2025-11-25', reason: 'no elicitation by URL before 2025-11-25' },
  samplingTools: { where: ({ revision }: Setup) => revision < '2025-11-25', reason: 'no tools in sampling before 2025-11-25' },
  handshake: { where: ({ revision }: Setup) => eraOf(revision) === 'modern', reason: 'no handshake in 2026-07-28' },
  stateless: { where: ({ revision }: Setup) => eraOf(revision) === 'legacy', reason: 'only in 2026-07-28' },
  batches: { where: ({ revision }: Setup) => revision !== '2025-03-26', reason: 'batches only in 2025-03-26' },
  noBatches: {
    where: ({ revision, transport }: Setup) => revision === '2025-03-26' || transport === 'sse',
    reason: 'batches are supported in 2025-03-26',
  },
  refusedPost: { where: ({ transport }: Setup) => transport === 'sse', reason: 'HTTP+SSE rejects the POST itself' },
  http: { where: ({ transport }: Setup) => !isStreamable(transport), reason: 'Streamable HTTP only' },
  context: { where: ({ revision }: Setup) => revision < '2025-06-18', reason: 'no completion context before 2025-06-18' },
  structured: { where: ({ revision }: Setup) => revision < '2025-06-18', reason: 'no structured content before 2025-06-18' },
} satisfies Record<string, Gap>

type Body = (peer: Driver, setup: MatrixSetup) => Promise<void>
type It = (title: string, body: Body, ...gaps: Gap[]) => void

/**
 * Defines the tests of one subject, titled with the ids of the requirements they cover. They run in every setup except the declared gaps.
 * The tests of a subject share one connection per setup, and every message on it must conform to the official schema.
 */
export function matrix(subject: string, define: (it: It) => void): void {
  describe.each(MATRIX_SETUPS.map((setup) => [titleOf(setup), setup] as const))(`${subject} · %s`, (_title, setup) => {
    let started: StartedPeer
    beforeAll(async () => {
      started = await start(setup)
    })
    afterEach(() => expect(started.violations()).toEqual([]))
    afterAll(() => started?.close())
    define((title, body, ...gaps) => {
      const gap = gaps.find(({ where }) => where(setup))
      const reason = gap?.reason ?? (setup.upstream && differenceOf(title, setup, setup.upstream))
      test(title, (context) => (reason === undefined ? body(started.peer, setup) : context.skip(reason)))
    })
  })
}

function titleOf({ revision, transport, upstream }: MatrixSetup): string {
  return `${revision} · ${transport}${upstream ? ` · to ${upstream.revision} · ${upstream.transport}` : ''}`
}

/** Opens a separate server and connection for one test, with other options. */
export async function openPeer(setup: MatrixSetup, options: Partial<DriverOptions>): Promise<Driver> {
  const { peer, violations, close } = await start(setup, options)
  onTestFinished(async () => {
    await close()
    expect(violations()).toEqual([])
  })
  return peer
}

/** A server, and a connection to it. */
interface StartedPeer {
  readonly peer: Driver
  /** Returns the violations of the official schemas since the last call: of the server, and of both sides behind a bridge. */
  violations(): string[]
  close(): Promise<void>
}

async function start({ upstream, ...setup }: MatrixSetup, options: Partial<DriverOptions> = {}): Promise<StartedPeer> {
  const bridge = upstream && (await bridgeTo(upstream))
  const peer = await open(bridge?.factory ?? DIRECT, { ...setup, ...options })
  return {
    peer,
    violations: () => [...peer.violations.splice(0), ...(bridge?.violations() ?? [])],
    async close() {
      await peer.close()
      bridge?.remove()
    },
  }
}

/** Calls a tool. */
export function callTool(
  peer: Driver,
  name: string,
  args?: object,
  options?: Parameters<Driver['request']>[2],
): Promise<Outcome> {
  return peer.request('tools/call', args ? { name, arguments: { ...args } } : { name }, options)
}

/** Sends messages unchanged. Returns the messages of the server received from then on, after at least `answers` of them. */
export async function exchange(
  peer: Driver,
  messages: Message | Message[],
  options: { answers?: number; headers?: Record<string, string> } = {},
): Promise<JsonObject[]> {
  const { answers = [messages].flat().length, headers = {} } = options
  const start = peer.log.length
  const received = (): JsonObject[] => peer.log.slice(start).flatMap(({ from, message }) => (from === 'server' ? [message] : []))
  await peer.send(messages, { headers })
  await until(() => received().length >= answers)
  await quiet(20)
  return received()
}

/** Returns the text of the first block of a result. */
export function textOf({ result }: Outcome): string | undefined {
  const [block] = result.content as { text?: string }[]
  return block?.text
}

/** Returns the journal entries that the server's handlers have written since the last read. */
export async function readJournal(peer: Driver): Promise<string[]> {
  return JSON.parse(textOf(await callTool(peer, 'journal')) ?? '[]') as string[]
}

/** Reads the journal until it contains all wanted entries. */
export async function journalWith(peer: Driver, ...wanted: string[]): Promise<string[]> {
  const all: string[] = []
  await until(async () => {
    all.push(...(await readJournal(peer)))
    return wanted.every((entry) => all.includes(entry))
  })
  return all
}

/** Fetches all items of a list, page by page. */
export async function listAll(peer: Driver, method: string, key: string): Promise<{ [field: string]: unknown }[]> {
  const items: { [field: string]: unknown }[] = []
  let cursor: unknown
  do {
    const { result } = await peer.request(method, cursor === undefined ? undefined : { cursor })
    items.push(...(result[key] as typeof items))
    cursor = result.nextCursor
  } while (cursor !== undefined)
  return items
}

/** Waits until a condition holds; throws when it takes too long. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + EVENTUALLY_TIMEOUT_MS
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`The condition did not hold within ${EVENTUALLY_TIMEOUT_MS} ms: ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Waits until messages in transit have arrived. */
export const quiet = (ms = 60): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
