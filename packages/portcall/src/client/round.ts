import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Notification, type RequestId, type Response } from '../jsonrpc/message.ts'
import { ProtocolErrorCode, readProtocolError } from '../protocol/errors.ts'
import { isLoggingLevel, MetaKey, withMeta } from '../protocol/meta.ts'
import { MODERN_VERSIONS } from '../protocol/revisions.ts'
import type { ClientCapabilities, Implementation, LoggingLevel } from '../protocol/types.ts'
import type { Deadline } from './deadline.ts'
import type { ClientEvent, Progress, RawOptions } from './options.ts'

/** What every request says about its sender, and where it goes. */
export interface RoundOptions {
  readonly exchange: () => Exchange
  readonly info: Implementation
  readonly capabilities: ClientCapabilities
  readonly logLevel: LoggingLevel | undefined
  readonly onEvent: (event: ClientEvent) => void
}

/** One request on the wire, of the several that a call may take. */
export interface Round {
  readonly raw: RawOptions
  readonly deadline: Deadline
}

/** Sends one request with an id and an envelope of its own. @throws the reason of a deadline that is over. */
export type SendRound = (method: string, params: JsonObject, round: Round) => Promise<Response>

const [VERSION] = MODERN_VERSIONS

export function createRounds({ exchange, info, capabilities, logLevel, onEvent }: RoundOptions): SendRound {
  let lastId = 0

  const warn = (error: unknown): void => onEvent({ type: 'warning', message: `A listener failed: ${String(error)}` })
  const sender = {
    [MetaKey.protocolVersion]: VERSION,
    [MetaKey.clientInfo]: info,
    [MetaKey.clientCapabilities]: capabilities,
    ...(logLevel && { [MetaKey.logLevel]: logLevel }),
  }
  const envelope = (progressToken: RequestId | undefined, meta: JsonObject | undefined): JsonObject => {
    const said = meta ? { ...meta, ...sender } : { ...sender }
    return progressToken === undefined ? said : { ...said, progressToken }
  }

  const hear = (notification: Notification, { raw, deadline }: Round): void => {
    const { method, params = {} } = notification
    if (method === 'notifications/progress' && typeof params.progress === 'number') {
      deadline.extend()
      raw.onProgress?.(params as unknown as Progress)
    } else if (method === 'notifications/message' && isLoggingLevel(params.level)) {
      onEvent({ type: 'log', level: params.level, logger: params.logger as string | undefined, data: params.data })
    } else raw.onNotification?.(notification)
  }
  const heard = (notification: Notification, given: Round): void => {
    try {
      hear(notification, given)
    } catch (error) {
      warn(error)
    }
  }

  return (method, params, round) => {
    const { raw, deadline } = round
    deadline.throwIfAborted()
    const id = ++lastId
    const _meta = envelope(raw.onProgress ? id : undefined, raw.meta)
    return exchange()({ jsonrpc: '2.0', id, method, params: withMeta(params, _meta) }, new RoundContext(round, heard))
  }
}

/** What comes along with one round. */
class RoundContext implements ExchangeContext {
  readonly send: ExchangeContext['send']
  readonly #round: Round
  readonly #heard: (notification: Notification, round: Round) => void

  constructor(round: Round, heard: (notification: Notification, round: Round) => void) {
    this.send = round.raw.headers && { headers: round.raw.headers }
    this.#round = round
    this.#heard = heard
  }

  get signal(): AbortSignal {
    return this.#round.deadline.signal
  }

  readonly notify = (notification: Notification): void => this.#heard(notification, this.#round)

  onAbort(listener: (reason: unknown) => void): () => void {
    return this.#round.deadline.onAbort(listener)
  }
}

/** Whether a server refuses the version, and names it among those that it speaks: it may be asked again. */
export function offersOurVersion(response: Response): boolean {
  if (isSuccess(response)) return false
  const { code, data } = readProtocolError(response.error)
  if (code !== ProtocolErrorCode.unsupportedProtocolVersion || !isObject(data)) return false
  return Array.isArray(data.supported) && data.supported.includes(VERSION)
}
