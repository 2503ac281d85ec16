/**
 * A client that sends raw messages, with the same interface in every era. It performs the handshake or adds the envelope, answers input
 * requests (sent as requests or in `input_required` results), and subscribes to changes with `subscriptions/listen` or
 * `resources/subscribe`. Its only library dependency is the shape of a message. It logs every message of the server and validates it
 * against the official schema of the revision.
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
import { type ChangeFeed, type Filter, listen, subscribe } from './changes.ts'
import { mirrorHeaders, type Self, withEnvelope } from './envelope.ts'
import { createInspector } from './inspector.ts'
import { createRequests, type InputRequest, type Outcome } from './requests.ts'
import { type Era, eraOf, isStreamable, type Setup } from './setups.ts'
import type { Receive, SendResult, Wire } from './wire.ts'

/** Answers an input request of the server with a result, or with an error in eras that allow one. */
export type InputHandler = (inputRequest: InputRequest) => InputResponse | Promise<InputResponse>
export type InputResponse = JsonObject | { error: ErrorBody }

export interface RequestOptions {
  /** Cancels the request when aborted, as the era and the transport require. */
  signal?: AbortSignal
  /** Additional `_meta` members. */
  meta?: JsonObject
  /** Additional HTTP headers. */
  headers?: Record<string, string>
  /** `false` returns an `input_required` result instead of answering its input requests. */
  follow?: boolean
}

/** The transport and revision to use, and the identity of the client. */
export interface DriverOptions extends Setup {
  capabilities?: JsonObject
  clientInfo?: { name: string; version: string }
  /** The version requested in the handshake. Default: the revision of the setup. */
  requestedVersion?: string
}

export interface Driver {
  readonly setup: Setup
  readonly era: Era
  /** The result of the handshake or of `server/discover`. */
  readonly server: JsonObject
  /** All messages sent and received, in order. */
  readonly log: readonly { from: 'client' | 'server'; message: JsonObject }[]
  /** Violations of the official schema by messages of the server. */
  readonly violations: string[]
  /** Sends a request, answers the input requests of the server meanwhile, and resolves to the outcome. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Outcome>
  notify(method: string, params?: JsonObject): Promise<void>
  /** Sends a message or a batch unchanged. */
  send(message: Message | Message[], options?: RequestOptions): Promise<SendResult | undefined>
  onInputRequest(answer: InputHandler): void
  setLogLevel(level: string): Promise<Response | undefined>
  changes(filter: Filter): Promise<ChangeFeed>
  close(): Promise<void>
}

const ALL_CAPABILITIES: JsonObject = { elicitation: { form: {}, url: {} }, sampling: { context: {}, tools: {} }, roots: {} }
const CLIENT_INFO = { name: 'raw', version: '1.0.0' }
const MAX_ROUND_TRIPS = 12

/** Opens a wire and performs the handshake or the discovery. */
export async function createDriver(openWire: (receive: Receive) => Promise<Wire>, options: DriverOptions): Promise<Driver> {
  const { transport, revision, clientInfo = CLIENT_INFO, capabilities = ALL_CAPABILITIES, requestedVersion = revision } = options
  const era = eraOf(revision)
  const self: Self = { revision, clientInfo, capabilities }
  const inspector = createInspector(revision)
  const requests = createRequests({
    send,
    cancelsByDisconnect: isStreamable(transport) && era === 'modern',
    completesOnSend: isStreamable(transport),
  })
  let answerInputRequest: InputHandler = ({ method }) => ({ error: { code: -32601, message: `${method} was not expected` } })

  function send(message: Message | Message[], { headers, signal }: RequestOptions = {}): Promise<SendResult | undefined> {
    for (const one of [message].flat()) inspector.sent(one)
    return wire.send(message, { headers: { ...headersOf(message, revision), ...headers }, signal })
  }
  const receive: Receive = (message, about) => {
    inspector.received(message)
    if (!('method' in message)) requests.settle(message as unknown as Response)
    else if ('id' in message) void answerRequest(message as unknown as Request, about)
    else requests.handleNotification(message as unknown as Notification, about)
  }
  const answerRequest = async ({ id, method, params = {} }: Request, about: RequestId | undefined): Promise<void> => {
    const inputRequest = { method, params }
    requests.handleInputRequest(inputRequest, about)
    const answer = await answerInputRequest(inputRequest)
    await send('error' in answer ? failure(id, answer.error as ErrorBody) : success(id, answer))
  }
  const once = (
    method: string,
    params: JsonObject | undefined,
    request: RequestOptions,
  ): { id: RequestId; outcome: Promise<Outcome> } => {
    const { meta } = request
    const full = meta ? { ...params, _meta: { ...(params?._meta as JsonObject | undefined), ...meta } } : params
    return requests.start(method, era === 'modern' ? withEnvelope(full, self) : full, request)
  }
  const follow = async (method: string, params: JsonObject | undefined, request: RequestOptions): Promise<Outcome> => {
    let outcome = await once(method, params, request).outcome
    for (
      let round = 0;
      outcome.result.resultType === 'input_required' && request.follow !== false && round < MAX_ROUND_TRIPS;
      round++
    ) {
      const earlier = outcome
      const answers = await answerRound(earlier, (inputRequest) => answerInputRequest(inputRequest))
      if (!answers) return earlier
      outcome = await once(method, { ...params, ...answers }, request).outcome
      outcome.inputRequests.unshift(...earlier.inputRequests)
      outcome.notifications.unshift(...earlier.notifications)
    }
    return outcome
  }

  const driver: Driver = {
    setup: { transport, revision },
    era,
    server: {},
    log: inspector.log,
    violations: inspector.violations,
    request: (method, params, request = {}) => follow(method, params, request),
    send,
    notify: async (method, params) => void (await send(notification(method, params))),
    onInputRequest: (answer) => void (answerInputRequest = answer),
    async setLogLevel(level) {
      if (era === 'legacy') return (await driver.request('logging/setLevel', { level })).response
      self.logLevel = level
      return undefined
    },
    changes: (filter) =>
      era === 'modern'
        ? listen(filter, { start: once, listeners: requests.listeners })
        : subscribe(filter, { driver, listeners: requests.listeners }),
    async close() {
      requests.fail(new Error('The driver was closed'))
      await wire.close()
    },
  }

  const wire = await openWire(receive)
  Object.assign(
    driver.server,
    era === 'legacy'
      ? await performHandshake(driver, { ...self, requestedVersion }, wire)
      : (await driver.request('server/discover')).result,
  )
  return driver
}

function headersOf(message: Message | Message[], revision: string): Record<string, string> {
  if (eraOf(revision as Setup['revision']) === 'modern') return mirrorHeaders(message, revision)
  const handshake = 'method' in message && message.method === 'initialize'
  return handshake || revision < '2025-06-18' ? {} : { 'mcp-protocol-version': revision }
}

async function performHandshake(
  driver: Driver,
  { revision, capabilities, clientInfo, requestedVersion }: Self & { requestedVersion: string },
  wire: Wire,
): Promise<JsonObject> {
  const { error, result } = await driver.request('initialize', { protocolVersion: requestedVersion, capabilities, clientInfo })
  if (error) throw new Error(`The handshake failed: ${error.message}`)
  await driver.notify('notifications/initialized')
  await wire.listen?.(headersOf(notification(''), revision))
  return result
}

/** Answers the input requests of an `input_required` result. Returns `undefined` when one of them fails: then the request must not be retried. */
async function answerRound(
  { result, inputRequests: collected }: Outcome,
  answerInputRequest: InputHandler,
): Promise<JsonObject | undefined> {
  const { inputRequests = {}, requestState } = result as { inputRequests?: Record<string, InputRequest>; requestState?: string }
  const inputResponses: JsonObject = {}
  for (const [key, { method, params = {} }] of Object.entries(inputRequests)) {
    const inputRequest = { method, params, key }
    collected.push(inputRequest)
    const answer = await answerInputRequest(inputRequest)
    if ('error' in answer) return undefined
    inputResponses[key] = answer
  }
  return requestState === undefined ? { inputResponses } : { inputResponses, requestState }
}
