import type { CallOptions, Client, ClientEvent, ConnectOptions } from 'portcall/client'
import { connect } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Head, Recorder } from '../../support/recorder.ts'
import type { Era } from '../../support/setups.ts'
import { until } from '../matrix.ts'
import { CLIENT_SETUPS, type ClientSetup, createFixture, eraOfSetup, isHttp } from './fixtures.ts'

/** A client in a setup, with a log of its traffic. */
export interface Peer {
  readonly client: Client
  readonly setup: ClientSetup
  readonly era: Era
  readonly wire: Recorder
  readonly events: ClientEvent[]
  /** The current input handlers. Replacing them does not change the declared capabilities. */
  inputHandlers: InputHandlers
}

type InputHandlers = { -readonly [kind in 'elicit' | 'elicitUrl' | 'sample']?: NonNullable<ConnectOptions[kind]> }

/** Setups in which a behavior does not exist, and the reason. */
export interface Gap {
  where(setup: ClientSetup): boolean
  reason: string
}

/** The limits of the protocol and its revisions. The test report shows the reason of each skipped test. */
export const GAPS = {
  elicitation: { where: ({ revision }) => revision < '2025-06-18', reason: 'no elicitation before 2025-06-18' },
  urlElicitation: { where: ({ revision }) => revision < '2025-11-25', reason: 'no elicitation by URL before 2025-11-25' },
  samplingTools: { where: ({ revision }) => revision < '2025-11-25', reason: 'no tools in sampling before 2025-11-25' },
  structured: { where: ({ revision }) => revision < '2025-06-18', reason: 'no structured content before 2025-06-18' },
  context: { where: ({ revision }) => revision < '2025-06-18', reason: 'no completion context before 2025-06-18' },
  lifetimes: { where: (setup) => eraOfSetup(setup) === 'legacy', reason: 'no cache hints before 2026-07-28' },
  rounds: { where: (setup) => eraOfSetup(setup) === 'legacy', reason: 'no multi round-trip requests before 2026-07-28' },
  extensions: { where: (setup) => eraOfSetup(setup) === 'legacy', reason: 'no extensions before 2026-07-28' },
  mirroring: {
    where: (setup) => !isHttp(setup) || eraOfSetup(setup) === 'legacy',
    reason: 'arguments are mirrored only in 2026-07-28, on HTTP',
  },
  handshake: { where: (setup) => eraOfSetup(setup) === 'modern', reason: 'no handshake in 2026-07-28' },
  noHeaders: { where: (setup) => !isHttp(setup), reason: 'no headers without HTTP' },
} satisfies Record<string, Gap>

/** Reports whether a request is cancelled without a message: by closing its HTTP exchange, or in process. */
export const isSilentCancel = (setup: ClientSetup): boolean =>
  eraOfSetup(setup) === 'modern' && (isHttp(setup) || setup.transport === 'exchange')

type Body = (peer: Peer, setup: ClientSetup) => Promise<void>
type It = (title: string, body: Body, ...gaps: Gap[]) => void

/**
 * Defines the tests of one subject. They run in every setup except the declared gaps. The tests of a subject share one client per setup,
 * and every message of the client and the server must conform to the official schema.
 */
export function clientMatrix(subject: string, define: (it: It) => void): void {
  describe.each(CLIENT_SETUPS.map((setup) => [setup.revision, setup.transport, setup] as const))(
    `client · ${subject} · %s · %s`,
    (_revision, _transport, setup) => {
      let peer: Peer
      let close: () => Promise<void> = async () => {}
      beforeAll(async () => {
        ;({ peer, close } = await start(setup, answerFromPeer))
      })
      afterEach(() => expect(peer.wire.violations.splice(0)).toEqual([]))
      afterAll(() => close())
      define((title, body, ...gaps) => {
        const gap = gaps.find(({ where }) => where(setup))
        test(title, (context) => (gap ? context.skip(gap.reason) : body(peer, setup)))
      })
    },
  )
}

/** Opens a separate client and server for one test. */
export async function openPeer(setup: ClientSetup, options: Partial<ConnectOptions>): Promise<Peer> {
  const { peer, close } = await start(setup, options)
  onTestFinished(async () => {
    await close()
    expect(peer.wire.violations).toEqual([])
  })
  return peer
}

/** Input handlers that answer every kind of input request. */
export const SAMPLE = {
  role: 'assistant',
  content: { type: 'text', text: 'Hello' },
  model: 'test-model',
  stopReason: 'endTurn',
} as const
export const INPUT_HANDLERS: Required<InputHandlers> = {
  elicit: () => ({ name: 'Ada' }),
  elicitUrl: () => 'accept',
  sample: () => SAMPLE,
}
export const ROOTS = [{ uri: 'file:///home', name: 'Home' }, { uri: 'file:///tmp' }]

type PeerOptions = Partial<ConnectOptions> | ((peer: { inputHandlers: InputHandlers }) => Partial<ConnectOptions>)

async function start(setup: ClientSetup, options: PeerOptions): Promise<{ peer: Peer; close(): Promise<void> }> {
  const fixture = await createFixture(setup.transport)
  const events: ClientEvent[] = []
  const shared = { ...fixture.options, protocolVersion: setup.revision, onEvent: (event: ClientEvent) => void events.push(event) }
  const peer = { setup, era: eraOfSetup(setup), wire: fixture.recorder, events, inputHandlers: { ...INPUT_HANDLERS } }
  const client = await connect(fixture.target, { ...shared, ...(typeof options === 'function' ? options(peer) : options) })
  const close = async (): Promise<void> => {
    await client.close()
    void fixture.recorder.log
    await fixture.close()
  }
  return { peer: Object.assign(peer, { client }), close }
}

/** Returns options that answer with the current input handlers of a peer. */
function answerFromPeer(peer: { inputHandlers: InputHandlers }): Partial<ConnectOptions> {
  return {
    info: { name: 'matrix-client', version: '3.2.1', title: 'The client of the matrix' },
    capabilities: { sampling: { tools: {}, context: {} } },
    elicit: (...args) => (peer.inputHandlers.elicit ?? INPUT_HANDLERS.elicit)(...args),
    elicitUrl: (...args) => (peer.inputHandlers.elicitUrl ?? INPUT_HANDLERS.elicitUrl)(...args),
    sample: (...args) => (peer.inputHandlers.sample ?? INPUT_HANDLERS.sample)(...args),
    roots: () => ROOTS,
  }
}

/** The traffic from now on. */
export interface WireView {
  /** Returns the messages of the client with a method, or all of them. */
  sent(method?: string): JsonObject[]
  received(method?: string): JsonObject[]
  /** Returns the responses of the client. */
  responses(): JsonObject[]
  heads(): readonly Head[]
}

export function viewWire({ wire }: Peer): WireView {
  const start = wire.log.length
  const firstHead = wire.heads.length
  const from = (side: 'client' | 'server', method?: string): JsonObject[] =>
    wire.log
      .slice(start)
      .flatMap(({ from, message }) => (from === side && (!method || message.method === method) ? [message] : []))
  return {
    sent: (method) => from('client', method),
    received: (method) => from('server', method),
    responses: () => from('client').filter((message) => !('method' in message)),
    heads: () => wire.heads.slice(firstHead),
  }
}

/** Calls a tool and returns the text of the first block of its result. */
export async function callText(
  { client }: Peer,
  name: string,
  args: JsonObject = {},
  options: CallOptions = {},
): Promise<string | undefined> {
  const { content } = await client.callTool(name, args, options)
  return (content[0] as { text?: string } | undefined)?.text
}

/** Returns the journal entries that the server's handlers have written since the last read. */
export async function readJournal(peer: Peer): Promise<string[]> {
  return JSON.parse((await callText(peer, 'journal')) ?? '[]') as string[]
}

/** Waits until the journal has an entry, and returns all entries read meanwhile. */
export async function journalWith(peer: Peer, entry: string): Promise<string[]> {
  const journal: string[] = []
  await until(async () => {
    journal.push(...(await readJournal(peer)))
    return journal.includes(entry)
  })
  return journal
}
