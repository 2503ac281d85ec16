import type { CallOptions, Client, ClientEvent, ConnectOptions } from 'portcall/client'
import { connect } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Era } from '../../support/places.ts'
import type { Head, Recorder } from '../../support/recorder.ts'
import { until } from '../matrix.ts'
import { CLIENT_PLACES, type ClientPlace, eraAt, isHttp, openStage } from './stages.ts'

/** A client at a place, with all that it said and heard. */
export interface Peer {
  readonly client: Client
  readonly place: ClientPlace
  readonly era: Era
  readonly wire: Recorder
  readonly events: ClientEvent[]
  /** How it answers; may be changed at any time, what it has declared stays. */
  answers: Answers
}

type Answers = { -readonly [kind in 'elicit' | 'elicitUrl' | 'sample']?: NonNullable<ConnectOptions[kind]> }

/** Places where a behaviour cannot be, and why. */
export interface Gap {
  where(place: ClientPlace): boolean
  reason: string
}

/** Where the behaviours of the client meet the limits of the protocol. Each is shown in the report of the tests. */
export const GAPS = {
  elicitation: { where: ({ revision }) => revision < '2025-06-18', reason: 'no elicitation before 2025-06-18' },
  urlElicitation: { where: ({ revision }) => revision < '2025-11-25', reason: 'no elicitation by URL before 2025-11-25' },
  samplingTools: { where: ({ revision }) => revision < '2025-11-25', reason: 'no tools in sampling before 2025-11-25' },
  structured: { where: ({ revision }) => revision < '2025-06-18', reason: 'no structured content before 2025-06-18' },
  context: { where: ({ revision }) => revision < '2025-06-18', reason: 'no completion context before 2025-06-18' },
  lifetimes: { where: (place) => eraAt(place) === 'legacy', reason: 'no result has a lifetime before 2026-07-28' },
  rounds: { where: (place) => eraAt(place) === 'legacy', reason: 'no rounds of questions before 2026-07-28' },
  extensions: { where: (place) => eraAt(place) === 'legacy', reason: 'no extensions before 2026-07-28' },
  mirroring: { where: (place) => !isHttp(place) || eraAt(place) === 'legacy', reason: 'only 2026-07-28 mirrors, on HTTP' },
  handshake: { where: (place) => eraAt(place) === 'modern', reason: 'no handshake in 2026-07-28' },
  noHeaders: { where: (place) => !isHttp(place), reason: 'no headers without HTTP' },
} satisfies Record<string, Gap>

/** Where a request is given up by closing the connection that waits for its answer, or without any wire. */
export const isSilentCancel = (place: ClientPlace): boolean =>
  eraAt(place) === 'modern' && (isHttp(place) || place.transport === 'exchange')

type Body = (peer: Peer, place: ClientPlace) => Promise<void>
type It = (title: string, body: Body, ...gaps: Gap[]) => void

/**
 * Writes the behaviours of one subject; they run in every place, but for declared gaps. All behaviours of a subject share one client for
 * each place, and no message of it, nor of the server, may offend the official schema.
 */
export function clientMatrix(subject: string, define: (it: It) => void): void {
  describe.each(CLIENT_PLACES.map((place) => [place.revision, place.transport, place] as const))(
    `client · ${subject} · %s · %s`,
    (_revision, _transport, place) => {
      let peer: Peer
      let close: () => Promise<void> = async () => {}
      beforeAll(async () => {
        ;({ peer, close } = await start(place, hands))
      })
      afterEach(() => expect(peer.wire.violations.splice(0)).toEqual([]))
      afterAll(() => close())
      define((title, body, ...gaps) => {
        const gap = gaps.find(({ where }) => where(place))
        test(title, (context) => (gap ? context.skip(gap.reason) : body(peer, place)))
      })
    },
  )
}

/** A client of its own for one test, with a server of its own. */
export async function openPeer(place: ClientPlace, options: Partial<ConnectOptions>): Promise<Peer> {
  const { peer, close } = await start(place, options)
  onTestFinished(async () => {
    await close()
    expect(peer.wire.violations).toEqual([])
  })
  return peer
}

/** Declares and answers everything. */
export const SAMPLE = {
  role: 'assistant',
  content: { type: 'text', text: 'Hello' },
  model: 'test-model',
  stopReason: 'endTurn',
} as const
export const HELPFUL: Required<Answers> = {
  elicit: () => ({ name: 'Ada' }),
  elicitUrl: () => 'accept',
  sample: () => SAMPLE,
}
export const ROOTS = [{ uri: 'file:///home', name: 'Home' }, { uri: 'file:///tmp' }]

type Own = Partial<ConnectOptions> | ((peer: { answers: Answers }) => Partial<ConnectOptions>)

async function start(place: ClientPlace, own: Own): Promise<{ peer: Peer; close(): Promise<void> }> {
  const stage = await openStage(place.transport)
  const events: ClientEvent[] = []
  const said = { ...stage.options, revision: place.revision, onEvent: (event: ClientEvent) => void events.push(event) }
  const peer = { place, era: eraAt(place), wire: stage.recorder, events, answers: { ...HELPFUL } }
  const client = await connect(stage.target, { ...said, ...(typeof own === 'function' ? own(peer) : own) })
  const close = async (): Promise<void> => {
    await client.close()
    void stage.recorder.log
    await stage.close()
  }
  return { peer: Object.assign(peer, { client }), close }
}

/** Answers as the peer does at that time. */
function hands(peer: { answers: Answers }): Partial<ConnectOptions> {
  return {
    info: { name: 'matrix-client', version: '3.2.1', title: 'The client of the matrix' },
    capabilities: { sampling: { tools: {}, context: {} } },
    elicit: (...args) => (peer.answers.elicit ?? HELPFUL.elicit)(...args),
    elicitUrl: (...args) => (peer.answers.elicitUrl ?? HELPFUL.elicitUrl)(...args),
    sample: (...args) => (peer.answers.sample ?? HELPFUL.sample)(...args),
    roots: () => ROOTS,
  }
}

/** What crosses the wire from now on. */
export interface Watch {
  /** Messages of the client with this method, or all of them. */
  sent(method?: string): JsonObject[]
  received(method?: string): JsonObject[]
  /** Answers of the client. */
  answered(): JsonObject[]
  heads(): readonly Head[]
}

export function watch({ wire }: Peer): Watch {
  const start = wire.log.length
  const firstHead = wire.heads.length
  const from = (side: 'client' | 'server', method?: string): JsonObject[] =>
    wire.log
      .slice(start)
      .flatMap(({ from, message }) => (from === side && (!method || message.method === method) ? [message] : []))
  return {
    sent: (method) => from('client', method),
    received: (method) => from('server', method),
    answered: () => from('client').filter((message) => !('method' in message)),
    heads: () => wire.heads.slice(firstHead),
  }
}

/** The text of the first block of what a tool gives. */
export async function callText(
  { client }: Peer,
  name: string,
  args: JsonObject = {},
  options: CallOptions = {},
): Promise<string | undefined> {
  const { content } = await client.callTool(name, args, options)
  return (content[0] as { text?: string } | undefined)?.text
}

/** What the server's handlers have done since the last time. */
export async function readJournal(peer: Peer): Promise<string[]> {
  return JSON.parse((await callText(peer, 'journal')) ?? '[]') as string[]
}

/** Waits until the server's handlers have done something; gives all that they have done meanwhile. */
export async function journalWith(peer: Peer, entry: string): Promise<string[]> {
  const journal: string[] = []
  await until(async () => {
    journal.push(...(await readJournal(peer)))
    return journal.includes(entry)
  })
  return journal
}
