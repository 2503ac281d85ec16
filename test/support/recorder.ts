import type { JsonObject, Message, RequestId } from 'portcall/jsonrpc'
import { createInspector, type Inspector } from './inspector.ts'
import { hasOracle, oracle } from './oracle.ts'
import { eraOf, REVISIONS, type RevisionName } from './setups.ts'

/** One message and its sender. */
export interface LoggedMessage {
  from: 'client' | 'server'
  message: JsonObject
}

/** The head of one HTTP request, and the message it carried. */
export interface Head {
  method: string
  url: string
  headers: Record<string, string | undefined>
  message: JsonObject | undefined
}

/** Receives the traffic of a wire: parsed messages or batches, and the heads of HTTP requests. */
export interface MessageObserver {
  sent(value: unknown): void
  received(value: unknown): void
  head(head: Head): void
}

/**
 * Logs the messages between a client and a server, and validates both sides against the official schema of their revision. The revision
 * is taken from the envelope or the handshake.
 */
export interface Recorder extends MessageObserver {
  readonly log: readonly LoggedMessage[]
  /** The heads of HTTP requests. */
  readonly heads: readonly Head[]
  /** The revisions in which requests were sent. */
  readonly revisions: ReadonlySet<RevisionName>
  readonly violations: string[]
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

export interface RecorderOptions {
  /** Called before each read; adds messages that were recorded elsewhere. */
  readonly pull?: (observer: MessageObserver) => void
  /** The client is a bridge, which passes on requests whose methods no revision defines. Default: false. */
  readonly isBridge?: boolean
}

export function createRecorder({ pull = () => {}, isBridge = false }: RecorderOptions = {}): Recorder {
  const log: LoggedMessage[] = []
  const heads: Head[] = []
  const violations: string[] = []
  const revisions = new Set<RevisionName>()
  const sides = new Map<RevisionName, RevisionCheckers>()
  const pending = new Map<RequestId, { side: RevisionCheckers; request: JsonObject }>()
  let current: RevisionName = '2026-07-28'

  const sideOf = (revision: RevisionName): RevisionCheckers => {
    const side = sides.get(revision) ?? {
      revision,
      server: createInspector(revision),
      judge: createClientChecker(revision, isBridge),
    }
    sides.set(revision, side)
    return side
  }
  const sentOne = (message: JsonObject): void => {
    log.push({ from: 'client', message: structuredClone(message) })
    current = versionOf(message) ?? current
    const side = sideOf(current)
    if ('method' in message && 'id' in message) {
      revisions.add(current)
      pending.set(message.id as RequestId, { side, request: message })
    }
    side.server.sent(message as unknown as Message)
    const fault = side.judge.sent(message)
    if (fault) violations.push(`client: ${fault}`)
  }
  const receivedOne = (message: JsonObject): void => {
    log.push({ from: 'server', message: structuredClone(message) })
    const requested = 'method' in message ? undefined : pending.get(message.id as RequestId)
    const negotiated =
      requested?.request.method === 'initialize' ? known((message.result as JsonObject)?.protocolVersion) : undefined
    if (negotiated) current = negotiated
    const side = negotiated || !requested ? sideOf(current) : requested.side
    if (negotiated && requested) side.server.sent(requested.request as unknown as Message)
    if ('method' in message) side.judge.addRequest(message)
    side.server.received(message)
    violations.push(...side.server.violations.splice(0).map((fault) => `server: ${fault}`))
  }
  const observer: MessageObserver = {
    sent: (value) => [value].flat().forEach((message) => void sentOne(message as JsonObject)),
    received: (value) => [value].flat().forEach((message) => void receivedOne(message as JsonObject)),
    head: (head) => void heads.push(head),
  }
  return {
    ...observer,
    heads,
    get revisions() {
      pull(observer)
      return revisions
    },
    get log() {
      pull(observer)
      return log
    },
    get violations() {
      pull(observer)
      return violations
    },
  }
}

interface RevisionCheckers {
  revision: RevisionName
  server: Inspector
  judge: ClientChecker
}

const known = (version: unknown): RevisionName | undefined => REVISIONS.find((revision) => revision === version)

/** Returns the revision that a request declares. */
function versionOf({ method, params }: JsonObject): RevisionName | undefined {
  const { protocolVersion, _meta } = (params ?? {}) as { protocolVersion?: unknown; _meta?: JsonObject }
  return known(method === 'initialize' ? protocolVersion : _meta?.[VERSION_KEY])
}

/** Validates the messages of a client. */
interface ClientChecker {
  /** Registers a request of the server; the response to it is validated by its method. */
  addRequest(message: JsonObject): void
  /** Returns the violation of a message, if any. */
  sent(message: JsonObject): string | undefined
}

/** Methods of extensions, which the official schemas do not define. */
const EXTENSIONS = { legacy: /^[a-z]+\.[a-z.]+\//, modern: /^(?:[a-z]+\.[a-z.]+\/|tasks\/(?:get|update|cancel)$)/ }

/** Reports whether some revision defines a request with this method. */
const isDefined = (method: string): boolean =>
  REVISIONS.some((revision) =>
    ['ClientRequest', 'ServerRequest'].some((union) => oracle(revision).methods(union).includes(method)),
  )

function createClientChecker(revision: RevisionName, isBridge: boolean): ClientChecker {
  const open = oracle(revision)
  const closed = oracle(revision, { closed: true })
  const questions = new Map<RequestId, string>()
  const [requests, notifications] = ['ClientRequest', 'ClientNotification'].map((union) => new Set(open.methods(union)))

  const checkMethod = (message: JsonObject): string | undefined => {
    const method = String(message.method)
    const kind = 'id' in message ? 'request' : 'notification'
    const isForeign = EXTENSIONS[eraOf(revision)].test(method) || (isBridge && !isDefined(method))
    if (kind === 'request' && isForeign) return open.definition('JSONRPCRequest', message)
    const known = kind === 'request' ? requests : notifications
    if (hasOracle && !known?.has(method)) return `${method} is not a ${kind} of a client in ${revision}`
    return open[kind](message) ?? closed[kind](withoutTaskIds(withoutCustomMeta(message)))
  }
  return {
    addRequest({ id, method }) {
      if (id !== undefined) questions.set(id as RequestId, method as string)
    },
    sent(message) {
      if ('method' in message) return checkMethod(message)
      if (eraOf(revision) === 'modern') return `a response from the client: ${JSON.stringify(message)}`
      const method = questions.get(message.id as RequestId)
      if (method === undefined) return `a response to no request: ${JSON.stringify(message)}`
      if ('error' in message) return closed.error(message)
      return open.result(method, message.result) ?? closed.result(method, message.result)
    },
  }
}

const PROTOCOL_META = /^io\.modelcontextprotocol\/|^progressToken$/

/** Removes custom members of `_meta`: they are allowed, but a closed schema rejects them, and older schemas do not define `_meta` everywhere. */
function withoutCustomMeta(message: JsonObject): JsonObject {
  const { _meta, ...params } = (message.params ?? {}) as JsonObject & { _meta?: JsonObject }
  if (!_meta) return message
  const known = Object.entries(_meta).filter(([key]) => PROTOCOL_META.test(key))
  const isModern = VERSION_KEY in _meta
  return { ...message, params: isModern ? { ...params, _meta: Object.fromEntries(known) } : params }
}

/** The tasks extension adds a key to the filter of subscriptions. */
function withoutTaskIds(message: JsonObject): JsonObject {
  const { notifications, ...params } = (message.params ?? {}) as JsonObject & { notifications?: JsonObject }
  if (!notifications || !('taskIds' in notifications)) return message
  const { taskIds: _ids, ...filter } = notifications
  return { ...message, params: { ...params, notifications: filter } }
}
