import type { AbortListener } from '../../../util/src/abort.ts'
import type { ConnectionInfo, Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Notification, type RequestId, type Response } from '../jsonrpc/message.ts'
import { ProtocolErrorCode, readProtocolError } from '../protocol/errors.ts'
import { isLoggingLevel, MetaKey, withMeta } from '../protocol/meta.ts'
import { clientMeta } from '../protocol/probes.ts'
import { MODERN_VERSION } from '../protocol/revisions.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from '../protocol/types.ts'
import type { Deadline } from './deadlines.ts'
import type { ClientEvent, Progress, RequestOptions } from './options.ts'

/** The exchange to send requests to, and what each request states about the client. */
export interface SenderOptions {
  readonly exchange: () => Exchange
  /** Describes the connection to middleware. */
  readonly connectionInfo: () => ConnectionInfo | undefined
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly logLevel: LoggingLevel | undefined
  readonly onEvent: (event: ClientEvent) => void
}

/** One request on the wire; a call that requires input takes several. */
export interface RoundTrip {
  readonly options: RequestOptions
  readonly deadline: Deadline
}

/** Sends one request with an id and `_meta` of its own. @throws the abort reason of the deadline. */
export type SendRequest = (method: string, params: JsonObject, roundTrip: RoundTrip) => Promise<Response>

export function createSender({ exchange, connectionInfo, info, capabilities, logLevel, onEvent }: SenderOptions): SendRequest {
  let lastId = 0

  const ownMeta = {
    ...clientMeta(info, capabilities),
    ...(logLevel && { [MetaKey.logLevel]: logLevel }),
  }
  const createMeta = (progressToken: RequestId | undefined, callMeta: JsonObject | undefined): JsonObject => {
    const meta = callMeta ? { ...callMeta, ...ownMeta } : { ...ownMeta }
    return progressToken === undefined ? meta : { ...meta, progressToken }
  }

  const dispatch = (notification: Notification, { options, deadline }: RoundTrip): void => {
    const { method, params = {} } = notification
    if (method === 'notifications/progress' && typeof params.progress === 'number') {
      deadline.extend()
      options.onProgress?.(params as unknown as Progress)
    } else if (method === 'notifications/message' && isLoggingLevel(params.level)) {
      onEvent({ type: 'log', level: params.level, logger: params.logger as string | undefined, data: params.data })
    } else options.onNotification?.(notification)
  }
  const onNotification = (notification: Notification, roundTrip: RoundTrip): void => {
    try {
      dispatch(notification, roundTrip)
    } catch (error) {
      onEvent({ type: 'warning', message: `A listener threw: ${String(error)}` })
    }
  }

  return (method, params, roundTrip) => {
    const { options, deadline } = roundTrip
    deadline.throwIfAborted()
    const id = ++lastId
    const _meta = createMeta(options.onProgress ? id : undefined, options.meta)
    return exchange()(
      { jsonrpc: '2.0', id, method, params: withMeta(params, _meta) },
      new RoundTripContext(roundTrip, { onNotification, connectionInfo }),
    )
  }
}

/** The members that the contexts of all requests of a client have in common. */
interface SenderContext extends Pick<SenderOptions, 'connectionInfo'> {
  readonly onNotification: (notification: Notification, roundTrip: RoundTrip) => void
}

class RoundTripContext implements ExchangeContext {
  readonly outgoing: ExchangeContext['outgoing']
  readonly #roundTrip: RoundTrip
  readonly #sender: SenderContext

  constructor(roundTrip: RoundTrip, sender: SenderContext) {
    const { headers } = roundTrip.options
    this.outgoing = headers && { headers }
    this.#roundTrip = roundTrip
    this.#sender = sender
  }

  get signal(): AbortSignal {
    return this.#roundTrip.deadline.signal
  }

  get connection(): ConnectionInfo | undefined {
    return this.#sender.connectionInfo()
  }

  readonly notify = (notification: Notification): void => this.#sender.onNotification(notification, this.#roundTrip)

  onAbort(listener: AbortListener): () => void {
    return this.#roundTrip.deadline.onAbort(listener)
  }
}

/** Reports whether a server rejected our version and yet lists it as supported, so that a retry makes sense. */
export function rejectsSupportedVersion(response: Response): boolean {
  if (isSuccess(response)) return false
  const { code, data } = readProtocolError(response.error)
  if (code !== ProtocolErrorCode.unsupportedProtocolVersion || !isObject(data)) return false
  return Array.isArray(data.supported) && data.supported.includes(MODERN_VERSION)
}
