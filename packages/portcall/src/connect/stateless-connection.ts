import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { readClientCapabilities } from '../protocol/capabilities.ts'
import { declaredSettings } from '../protocol/extensions.ts'
import { MetaKey } from '../protocol/meta.ts'
import { completeResponse } from '../protocol/resource-contents.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import { createIdleTimers } from '../util/idle-timers.ts'
import { setLru } from '../util/lru.ts'
import type { ReconnectingConnection } from './reconnect.ts'

/** A connection to a server of either era on which each request declares its own client capabilities. */
export interface StatelessConnection {
  /** Sends a request of the newest revision. Opens a connection if necessary. */
  readonly exchange: Exchange
  /** Whether the transport sends `x-mcp-header` arguments as `Mcp-Param-*` headers. */
  readonly sendsParamHeaders: boolean
  /** The number of open connections. */
  readonly size: number
  close(): Promise<void>
}

export interface StatelessConnectionOptions {
  /** Opens a connection for clients with these capabilities. The signal is aborted when the stateless connection is closed. */
  readonly open: (capabilities: ClientCapabilities, signal: AbortSignal) => Promise<ReconnectingConnection>
  /** Declares these capabilities on every connection, because only one connection can be opened. */
  readonly capabilities?: ClientCapabilities | undefined
  /** Maximum number of sessions. Beyond that, the session that was used least recently and is not in use is closed. */
  readonly maxSessions: number
  /** Time after which an unused connection is closed, in milliseconds. `Infinity` keeps it open. */
  readonly idleTimeoutMs: number
}

interface Entry {
  key: string
  readonly opening: Promise<ReconnectingConnection>
  connection: ReconnectingConnection | undefined
  inFlight: number
  isEvicted: boolean
}

/** The key of a connection without a session, which serves clients with any capabilities. */
const ANY = ''
const MAX_KEYS = 100

/**
 * Creates a stateless connection. A legacy server gets one session for each set of client capabilities, because a session declares them
 * once; a modern server gets one connection.
 */
export function createStatelessConnection(options: StatelessConnectionOptions): StatelessConnection {
  const { open, maxSessions, idleTimeoutMs } = options
  const fixed = options.capabilities && withTasks(options.capabilities)
  const entries = new Map<string, Entry>()
  const idle = idleTimeoutMs === Infinity ? undefined : createIdleTimers<Entry>(idleTimeoutMs, (entry) => closeIfIdle(entry))
  const keyOf = createCapabilityKeys()
  const closing = new AbortController()
  /** Whether the server has sessions; `undefined` until a connection was opened. */
  let hasSessions: boolean | undefined
  let detection: Promise<unknown> | undefined
  let sendsParamHeaders = false

  const closeEntry = (entry: Entry): void => {
    idle?.remove(entry)
    void entry.opening.then((connection) => connection.close()).catch(() => {})
  }
  /** Uses an entry for no further request. It is closed after its last response. */
  const evict = (entry: Entry): void => {
    if (entries.get(entry.key) === entry) entries.delete(entry.key)
    entry.isEvicted = true
    if (entry.inFlight === 0) closeEntry(entry)
  }
  const closeIfIdle = (entry: Entry): void => {
    if (entry.inFlight > 0) idle?.touch(entry)
    else evict(entry)
  }
  const start = (key: string, capabilities: ClientCapabilities): Entry => {
    if (entries.size >= maxSessions) evictOne(entries, evict)
    const opening = open(capabilities, closing.signal)
    const entry: Entry = { key, opening, connection: undefined, inFlight: 0, isEvicted: false }
    entries.set(key, entry)
    opening.then(
      (connection) => {
        entry.connection = connection
        sendsParamHeaders = connection.sendsParamHeaders
        hasSessions = connection.hasSession && !fixed
      },
      () => evict(entry),
    )
    return entry
  }
  /** Returns the entry for a request. The first connection shows whether the server has sessions. */
  const findEntry = (request: Request): Entry | Promise<Entry> => {
    if (hasSessions === false) return findOpen(entries, ANY, evict) ?? start(ANY, fixed ?? capabilitiesOf(request))
    if (hasSessions) {
      const key = keyOf(request)
      return findOpen(entries, key, evict) ?? start(key, capabilitiesOf(request))
    }
    if (!detection) {
      const capabilities = fixed ?? capabilitiesOf(request)
      const first = start(ANY, capabilities)
      const end = (): void => {
        detection = undefined
        if (!hasSessions || entries.get(ANY) !== first) return
        entries.delete(ANY)
        first.key = canonicalJson(capabilities)
        entries.set(first.key, first)
      }
      detection = first.opening.then(end, (error: unknown) => {
        end()
        throw error
      })
    }
    return detection.then(() => findEntry(request))
  }
  const send = async (entry: Entry, request: Request, context: ExchangeContext): Promise<Response> => {
    entry.inFlight++
    try {
      const connection = entry.connection ?? (await entry.opening)
      return completeResponse(request.method, await connection.exchange(request, context))
    } finally {
      entry.inFlight--
      if (entry.connection && entry.connection.status !== 'connected' && !entry.isEvicted) evict(entry)
      else if (entry.isEvicted && entry.inFlight === 0) closeEntry(entry)
      else idle?.touch(entry)
    }
  }

  return {
    exchange: (request, context) => {
      if (closing.signal.aborted) return Promise.reject(closedError())
      const found = findEntry(request)
      return found instanceof Promise ? found.then((entry) => send(entry, request, context)) : send(found, request, context)
    },
    get sendsParamHeaders() {
      return sendsParamHeaders
    },
    get size() {
      return entries.size
    },
    async close() {
      idle?.stop()
      closing.abort(closedError())
      const closed = [...entries.values()].map(({ opening }) => opening.then((connection) => connection.close()))
      entries.clear()
      await Promise.allSettled(closed)
    },
  }
}

const closedError = (): Error => new Error('The connection is closed')

/** Returns a function that returns the same key for requests with equal capabilities. It remembers the keys by the text that declares them. */
function createCapabilityKeys(): (request: Request) => string {
  const keys = new Map<string, string>()
  return (request) => {
    const text = JSON.stringify(declaredBy(request))
    const known = keys.get(text)
    if (known !== undefined) return known
    const key = canonicalJson(capabilitiesOf(request))
    setLru(keys, [text, key], MAX_KEYS)
    return key
  }
}

/** Returns an open entry. Evicts one whose connection was lost since its last use. */
function findOpen(entries: ReadonlyMap<string, Entry>, key: string, evict: (entry: Entry) => void): Entry | undefined {
  const entry = entries.get(key)
  if (!entry?.connection || entry.connection.status === 'connected') return entry
  evict(entry)
  return undefined
}

/** Evicts the first entry that is not in use. */
function evictOne(entries: ReadonlyMap<string, Entry>, evict: (entry: Entry) => void): void {
  const unused = [...entries.values()].find(({ inFlight }) => inFlight === 0)
  if (unused) evict(unused)
}

/** Returns the client capabilities of the session for a request. */
const capabilitiesOf = (request: Request): ClientCapabilities => withTasks(readClientCapabilities(declaredBy(request)))

/**
 * Returns capabilities with the tasks extension. Sessions do not declare it: each request says whether it may become a task. With it,
 * requests that may and requests that may not use the same session.
 */
function withTasks({ extensions, ...capabilities }: ClientCapabilities): ClientCapabilities {
  const tasks = declaredSettings({ id: TASKS_EXTENSION, legacy: false })
  return { ...capabilities, extensions: { ...extensions, [TASKS_EXTENSION]: tasks } }
}

/** Returns the client capabilities of a request as they are declared; `null` if they are missing. */
function declaredBy({ params }: Request): unknown {
  const meta: JsonObject = isObject(params?._meta) ? params._meta : {}
  return meta[MetaKey.clientCapabilities] ?? null
}
