/**
 * A client made of raw messages, the same to a test in every era: it shakes hands or fills envelopes, answers what the server asks
 * by requests or by `input_required`, and hears of changes by `listen` or by `resources/subscribe`. It knows no library code but the
 * shape of a message. Whatever the server sends is kept, and checked against the official schema of the revision.
 */
import {
  type ErrorBody,
  failure,
  type JsonObject,
  type Message,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
  success,
} from 'portcall/jsonrpc'
import { type Changes, type Filter, listen, subscribe } from './changes.ts'
import { mirrorHeaders, type Self, withEnvelope } from './envelope.ts'
import { createInspector } from './inspector.ts'
import { type Era, eraOf, isStreamable, type Place } from './places.ts'
import { type Ask, createRequests, type Outcome } from './requests.ts'
import type { Receive, Sent, Wire } from './wire.ts'

/** Answers what the server asks: with a result, or with an error where the era has errors for that. */
export type Answer = (ask: Ask) => Answered | Promise<Answered>
export type Answered = JsonObject | { error: ErrorBody }

export interface RequestOptions {
  /** Aborting it cancels the request, in the way of the era and the transport. */
  signal?: AbortSignal
  /** More `_meta`. */
  meta?: JsonObject
  /** More HTTP headers. */
  headers?: Record<string, string>
  /** `false`: an `input_required` result is handed out instead of answered. */
  follow?: boolean
}

/** Where to talk, and as whom. */
export interface DriverOptions extends Place {
  capabilities?: JsonObject
  clientInfo?: { name: string; version: string }
  /** The version to ask for in the handshake, when it is not that of the place. */
  asks?: string
}

export interface Driver {
  readonly place: Place
  readonly era: Era
  /** What the server said of itself in the handshake or in `server/discover`. */
  readonly server: JsonObject
  /** All that was sent and received, in order. */
  readonly log: readonly { from: 'client' | 'server'; message: JsonObject }[]
  /** Faults of the server's messages against the official schema. */
  readonly violations: string[]
  /** Sends a request and resolves to all that came of it; questions of the server are answered on the way. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Outcome>
  notify(method: string, params?: JsonObject): Promise<void>
  /** Sends a message, or a batch, as it is. */
  send(message: Message | Message[], options?: RequestOptions): Promise<Sent | undefined>
  onAsk(answer: Answer): void
  setLogLevel(level: string): Promise<Response | undefined>
  changes(filter: Filter): Promise<Changes>
  close(): Promise<void>
}

const ALL: JsonObject = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} }
const SOMEBODY = { name: 'raw', version: '1.0.0' }
const MAX_ROUNDS = 12

/** Begins a conversation over a wire. */
export async function createDriver(openWire: (receive: Receive) => Promise<Wire>, options: DriverOptions): Promise<Driver> {
  const { transport, revision, clientInfo = SOMEBODY, capabilities = ALL, asks = revision } = options
  const era = eraOf(revision)
  const self: Self = { revision, clientInfo, capabilities }
  const inspector = createInspector(revision)
  const requests = createRequests({
    send,
    cancelsByHangingUp: isStreamable(transport) && era === 'modern',
    answersBySend: isStreamable(transport),
  })
  let answerAsk: Answer = ({ method }) => ({ error: { code: -32601, message: `${method} was not expected` } })

  function send(message: Message | Message[], { headers, signal }: RequestOptions = {}): Promise<Sent | undefined> {
    for (const one of [message].flat()) inspector.sent(one)
    return wire.send(message, { headers: { ...headersOf(message, revision), ...headers }, signal })
  }
  const receive: Receive = (message, about) => {
    inspector.received(message)
    if (!('method' in message)) requests.settle(message as unknown as Response)
    else if ('id' in message) void answerRequest(message as unknown as Request, about)
    else requests.hear(message as unknown as Notification, about)
  }
  const answerRequest = async ({ id, method, params = {} }: Request, about: RequestId | undefined): Promise<void> => {
    const ask = { method, params }
    requests.asked(ask, about)
    const answer = await answerAsk(ask)
    await send('error' in answer ? failure(id, answer.error as ErrorBody) : success(id, answer))
  }
  const once = (
    method: string,
    params: JsonObject | undefined,
    request: RequestOptions,
  ): { id: RequestId; outcome: Promise<Outcome> } => {
    const { meta } = request
    const full = meta ? { ...params, _meta: { ...(params?._meta as JsonObject | undefined), ...meta } } : params
    return requests.begin(method, era === 'modern' ? withEnvelope(full, self) : full, request)
  }
  const follow = async (method: string, params: JsonObject | undefined, request: RequestOptions): Promise<Outcome> => {
    let outcome = await once(method, params, request).outcome
    for (
      let round = 0;
      outcome.result.resultType === 'input_required' && request.follow !== false && round < MAX_ROUNDS;
      round++
    ) {
      const earlier = outcome
      const answers = await answerRound(earlier, (ask) => answerAsk(ask))
      if (!answers) return earlier
      outcome = await once(method, { ...params, ...answers }, request).outcome
      outcome.asks.unshift(...earlier.asks)
      outcome.notifications.unshift(...earlier.notifications)
    }
    return outcome
  }

  const driver: Driver = {
    place: { transport, revision },
    era,
    server: {},
    log: inspector.log,
    violations: inspector.violations,
    request: (method, params, request = {}) => follow(method, params, request),
    send,
    notify: async (method, params) => void (await send(notification(method, params))),
    onAsk: (answer) => void (answerAsk = answer),
    async setLogLevel(level) {
      if (era === 'legacy') return (await driver.request('logging/setLevel', { level })).response
      self.logLevel = level
      return undefined
    },
    changes: (filter) =>
      era === 'modern'
        ? listen(filter, { begin: once, listeners: requests.listeners })
        : subscribe(filter, { driver, listeners: requests.listeners }),
    async close() {
      requests.fail(new Error('The driver was closed'))
      await wire.close()
    },
  }

  const wire = await openWire(receive)
  Object.assign(
    driver.server,
    era === 'legacy' ? await shakeHands(driver, { ...self, asks }, wire) : (await driver.request('server/discover')).result,
  )
  return driver
}

function headersOf(message: Message | Message[], revision: string): Record<string, string> {
  if (eraOf(revision as Place['revision']) === 'modern') return mirrorHeaders(message, revision)
  const handshake = 'method' in message && message.method === 'initialize'
  return handshake || revision < '2025-06-18' ? {} : { 'mcp-protocol-version': revision }
}

async function shakeHands(
  driver: Driver,
  { revision, capabilities, clientInfo, asks }: Self & { asks: string },
  wire: Wire,
): Promise<JsonObject> {
  const { error, result } = await driver.request('initialize', { protocolVersion: asks, capabilities, clientInfo })
  if (error) throw new Error(`The handshake failed: ${error.message}`)
  await driver.notify('notifications/initialized')
  await wire.listen?.(headersOf(notification(''), revision))
  return result
}

/** Answers the questions of an `input_required` result; nothing when one of them has no answer, for then nothing may be sent. */
async function answerRound({ result, asks }: Outcome, answerAsk: Answer): Promise<JsonObject | undefined> {
  const { inputRequests = {}, requestState } = result as { inputRequests?: Record<string, Ask>; requestState?: string }
  const inputResponses: JsonObject = {}
  for (const [key, { method, params = {} }] of Object.entries(inputRequests)) {
    const ask = { method, params, key }
    asks.push(ask)
    const answer = await answerAsk(ask)
    if ('error' in answer) return undefined
    inputResponses[key] = answer
  }
  return requestState === undefined ? { inputResponses } : { inputResponses, requestState }
}
