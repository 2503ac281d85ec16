import { fileURLToPath } from 'node:url'
import type { JsonObject, Message } from 'portcall/jsonrpc'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PATIENCE_MS } from '../../packages/portcall/test-kit/eventually.ts'
import type { Driver, DriverOptions } from '../support/driver.ts'
import { open, type Served } from '../support/drivers.ts'
import { eraOf, isStreamable, PLACES, type Place } from '../support/places.ts'
import type { Outcome } from '../support/requests.ts'
import { createMatrixServer } from './server/index.ts'

const SERVED: Served = { create: createMatrixServer, program: fileURLToPath(new URL('./server/stdio.ts', import.meta.url)) }

/** Places where a behaviour cannot be, and why. */
export interface Gap {
  where(place: Place): boolean
  reason: string
}

/** Where the behaviours of the library meet the limits of the protocol. Each is shown in the report of the tests. */
export const GAPS = {
  elicitation: { where: ({ revision }: Place) => revision < '2025-06-18', reason: 'no elicitation before 2025-06-18' },
  urlElicitation: { where: ({ revision }: Place) => revision < '2025-11-25', reason: 'no elicitation by URL before 2025-11-25' },
  samplingTools: { where: ({ revision }: Place) => revision < '2025-11-25', reason: 'no tools in sampling before 2025-11-25' },
  handshake: { where: ({ revision }: Place) => eraOf(revision) === 'modern', reason: 'no handshake in 2026-07-28' },
  stateless: { where: ({ revision }: Place) => eraOf(revision) === 'legacy', reason: 'a matter of 2026-07-28 only' },
  batches: { where: ({ revision }: Place) => revision !== '2025-03-26', reason: 'batches only in 2025-03-26' },
  noBatches: {
    where: ({ revision, transport }: Place) => revision === '2025-03-26' || transport === 'sse',
    reason: 'batches are served in 2025-03-26',
  },
  refusedPost: { where: ({ transport }: Place) => transport === 'sse', reason: 'there the POST itself is refused' },
  http: { where: ({ transport }: Place) => !isStreamable(transport), reason: 'a matter of Streamable HTTP only' },
  context: { where: ({ revision }: Place) => revision < '2025-06-18', reason: 'no completion context before 2025-06-18' },
  structured: { where: ({ revision }: Place) => revision < '2025-06-18', reason: 'no structured content before 2025-06-18' },
} satisfies Record<string, Gap>

type Body = (peer: Driver, place: Place) => Promise<void>
type It = (title: string, body: Body, ...gaps: Gap[]) => void

/**
 * Writes the behaviours of one subject, each with the ids of what it proves; they run in every place, but for declared gaps. All
 * behaviours of a subject share one conversation for each place, and no message of it may offend the official schema.
 */
export function matrix(subject: string, define: (it: It) => void): void {
  describe.each(PLACES.map((place) => [place.revision, place.transport, place] as const))(
    `${subject} · %s · %s`,
    (_revision, _transport, place) => {
      let peer: Driver
      beforeAll(async () => {
        peer = await open(SERVED, place)
      })
      afterEach(() => expect(peer.violations.splice(0)).toEqual([]))
      afterAll(() => peer?.close())
      define((title, body, ...gaps) => {
        const gap = gaps.find(({ where }) => where(place))
        test(title, (context) => (gap ? context.skip(gap.reason) : body(peer, place)))
      })
    },
  )
}

/** Begins a conversation of its own for one test, with a server of its own, as somebody else. */
export async function openPeer(place: Place, options: Partial<DriverOptions>): Promise<Driver> {
  const peer = await open(SERVED, { ...place, ...options })
  onTestFinished(async () => {
    await peer.close()
    expect(peer.violations).toEqual([])
  })
  return peer
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

/** Sends messages as they are; gives what the server sends from then on until it has answered `answers` of them. */
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

/** The text of a result's first block. */
export function textOf({ result }: Outcome): string | undefined {
  const [block] = result.content as { text?: string }[]
  return block?.text
}

/** What the server's handlers have done since the last time. */
export async function readJournal(peer: Driver): Promise<string[]> {
  return JSON.parse(textOf(await callTool(peer, 'journal')) ?? '[]') as string[]
}

/** Collects what the journal says until it says enough. */
export async function journalWith(peer: Driver, ...wanted: string[]): Promise<string[]> {
  const all: string[] = []
  await until(async () => {
    all.push(...(await readJournal(peer)))
    return wanted.every((entry) => all.includes(entry))
  })
  return all
}

/** All items of a list, page by page. */
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

/** Waits until something is so; fails when it takes too long. */
export async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!(await so())) {
    if (Date.now() > end) throw new Error(`Not so within ${PATIENCE_MS} ms: ${so}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Lets everything that is on its way arrive. */
export const quiet = (ms = 60): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
