import type { JsonObject, Message, RequestId } from 'portcall/jsonrpc'
import { createInspector, type Inspector } from './inspector.ts'
import { hasOracle, oracle } from './oracle.ts'
import { eraOf, REVISIONS, type RevisionName } from './places.ts'

/** One message that crossed the wire. */
export interface Crossing {
  from: 'client' | 'server'
  message: JsonObject
}

/** The head of one HTTP request, and what was sent with it. */
export interface Head {
  method: string
  url: string
  headers: Record<string, string | undefined>
  message: JsonObject | undefined
}

/** Where a tap on a wire puts what it sees: parsed messages or batches of them. */
export interface Tap {
  sent(value: unknown): void
  received(value: unknown): void
  head(head: Head): void
}

/**
 * Keeps what a client and a server say to each other, and finds what the official schema of the revision that they speak does not allow
 * either of them to say. Which revision that is, the messages tell: by their envelope, or by the handshake.
 */
export interface Recorder extends Tap {
  readonly log: readonly Crossing[]
  /** The heads of HTTP requests. */
  readonly heads: readonly Head[]
  /** The revisions in which requests were sent. */
  readonly spoken: ReadonlySet<RevisionName>
  readonly violations: string[]
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Makes a recorder; `pull` fetches what lies elsewhere before somebody looks. */
export function createRecorder(pull: (tap: Tap) => void = () => {}): Recorder {
  const log: Crossing[] = []
  const heads: Head[] = []
  const violations: string[] = []
  const spoken = new Set<RevisionName>()
  const sides = new Map<RevisionName, Sides>()
  const pending = new Map<RequestId, { side: Sides; request: JsonObject }>()
  let current: RevisionName = '2026-07-28'

  const sideOf = (revision: RevisionName): Sides => {
    const side = sides.get(revision) ?? { revision, server: createInspector(revision), judge: createClientJudge(revision) }
    sides.set(revision, side)
    return side
  }
  const sentOne = (message: JsonObject): void => {
    log.push({ from: 'client', message: structuredClone(message) })
    current = versionOf(message) ?? current
    const side = sideOf(current)
    if ('method' in message && 'id' in message) {
      spoken.add(current)
      pending.set(message.id as RequestId, { side, request: message })
    }
    side.server.sent(message as unknown as Message)
    const fault = side.judge.sent(message)
    if (fault) violations.push(`client: ${fault}`)
  }
  const receivedOne = (message: JsonObject): void => {
    log.push({ from: 'server', message: structuredClone(message) })
    const asked = 'method' in message ? undefined : pending.get(message.id as RequestId)
    const negotiated = asked?.request.method === 'initialize' ? known((message.result as JsonObject)?.protocolVersion) : undefined
    if (negotiated) current = negotiated
    const side = negotiated || !asked ? sideOf(current) : asked.side
    if (negotiated && asked) side.server.sent(asked.request as unknown as Message)
    if ('method' in message) side.judge.asked(message)
    side.server.received(message)
    violations.push(...side.server.violations.splice(0).map((fault) => `server: ${fault}`))
  }
  const tap: Tap = {
    sent: (value) => [value].flat().forEach((message) => void sentOne(message as JsonObject)),
    received: (value) => [value].flat().forEach((message) => void receivedOne(message as JsonObject)),
    head: (head) => void heads.push(head),
  }
  return {
    ...tap,
    heads,
    get spoken() {
      pull(tap)
      return spoken
    },
    get log() {
      pull(tap)
      return log
    },
    get violations() {
      pull(tap)
      return violations
    },
  }
}

interface Sides {
  revision: RevisionName
  server: Inspector
  judge: ClientJudge
}

const known = (version: unknown): RevisionName | undefined => REVISIONS.find((revision) => revision === version)

/** The revision that a request says it is of. */
function versionOf({ method, params }: JsonObject): RevisionName | undefined {
  const { protocolVersion, _meta } = (params ?? {}) as { protocolVersion?: unknown; _meta?: JsonObject }
  return known(method === 'initialize' ? protocolVersion : _meta?.[VERSION_KEY])
}

/** Judges what a client says. */
interface ClientJudge {
  /** The server has asked something: its answer is judged by that. */
  asked(message: JsonObject): void
  /** Says what is wrong with a message. */
  sent(message: JsonObject): string | undefined
}

/** Methods of extensions, which the official schemas of these eras do not know. */
const EXTENSIONS = { legacy: /^[a-z]+\.[a-z.]+\//, modern: /^(?:[a-z]+\.[a-z.]+\/|tasks\/(?:get|update|cancel)$)/ }

function createClientJudge(revision: RevisionName): ClientJudge {
  const open = oracle(revision)
  const closed = oracle(revision, { closed: true })
  const questions = new Map<RequestId, string>()
  const [requests, notifications] = ['ClientRequest', 'ClientNotification'].map((union) => new Set(open.methods(union)))

  const judgeMethod = (message: JsonObject): string | undefined => {
    const method = String(message.method)
    const kind = 'id' in message ? 'request' : 'notification'
    if (kind === 'request' && EXTENSIONS[eraOf(revision)].test(method)) return open.definition('JSONRPCRequest', message)
    const known = kind === 'request' ? requests : notifications
    if (hasOracle && !known?.has(method)) return `${method} is not a ${kind} of a client in ${revision}`
    return open[kind](message) ?? closed[kind](withoutTaskIds(withoutOwnMeta(message)))
  }
  return {
    asked({ id, method }) {
      if (id !== undefined) questions.set(id as RequestId, method as string)
    },
    sent(message) {
      if ('method' in message) return judgeMethod(message)
      if (eraOf(revision) === 'modern') return `a response from the client: ${JSON.stringify(message)}`
      const method = questions.get(message.id as RequestId)
      if (method === undefined) return `an answer to nothing: ${JSON.stringify(message)}`
      if ('error' in message) return closed.error(message)
      return open.result(method, message.result) ?? closed.result(method, message.result)
    },
  }
}

const PROTOCOL_META = /^io\.modelcontextprotocol\/|^progressToken$/

/** Everybody may add members to `_meta`, although a closed schema would not let them; older schemas do not even name it everywhere. */
function withoutOwnMeta(message: JsonObject): JsonObject {
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
