import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { readClientCapabilities } from '../protocol/capabilities.ts'
import { declaredSettings } from '../protocol/extensions.ts'
import { MetaKey } from '../protocol/meta.ts'
import { completeResponse } from '../protocol/resource-contents.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { ClientCapabilities } from '../protocol/types.ts'
import { canonicalJson } from '../util/canonical-json.ts'
import { setLru } from '../util/lru.ts'
import { createSessionPool, type PooledSession, type SessionPoolOptions } from './session-pool.ts'

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

export interface StatelessConnectionOptions extends SessionPoolOptions {
  /** Declares these capabilities on every connection, because only one connection can be opened. */
  readonly capabilities?: ClientCapabilities | undefined
}

/** The key of a connection without a session, which serves clients with any capabilities. */
const ANY = ''
const MAX_KEYS = 100

/**
 * Creates a stateless connection. A legacy server gets one session for each set of client capabilities, because a session declares them
 * once; a modern server gets one connection.
 */
export function createStatelessConnection(options: StatelessConnectionOptions): StatelessConnection {
  const fixed = options.capabilities && withTasks(options.capabilities)
  const pool = createSessionPool(options)
  const keyOf = createCapabilityKeys()
  /** Whether the server has sessions; `undefined` until a connection was opened. */
  let hasSessions: boolean | undefined
  let detection: Promise<unknown> | undefined
  let sendsParamHeaders = false
  let isClosed = false

  const start = (key: string, capabilities: ClientCapabilities, owner: string | undefined): PooledSession => {
    const session = pool.start(key, capabilities, owner)
    session.opening.then(
      (connection) => {
        sendsParamHeaders = connection.sendsParamHeaders
        hasSessions = connection.hasSession && !fixed
      },
      () => {},
    )
    return session
  }
  /** Opens the first connection, which shows whether the server has sessions. */
  const detect = (request: Request, owner: string | undefined): Promise<unknown> => {
    const capabilities = fixed ?? capabilitiesOf(request)
    const first = start(ANY, capabilities, owner)
    const end = (): void => {
      detection = undefined
      if (hasSessions) pool.rename(first, canonicalJson(capabilities))
    }
    return first.opening.then(end, (error: unknown) => {
      end()
      throw error
    })
  }
  const findSession = (request: Request, owner: string | undefined): PooledSession | Promise<PooledSession> => {
    if (hasSessions === false) return pool.find(ANY) ?? start(ANY, fixed ?? capabilitiesOf(request), owner)
    if (hasSessions) {
      const key = keyOf(request)
      return pool.find(key) ?? start(key, capabilitiesOf(request), owner)
    }
    detection ??= detect(request, owner)
    return detection.then(() => findSession(request, owner))
  }
  const send = (session: PooledSession, request: Request, context: ExchangeContext): Promise<Response> =>
    pool.run(session, async (connection) => completeResponse(request.method, await connection.exchange(request, context)))

  return {
    exchange(request, context) {
      if (isClosed) return Promise.reject(closedError())
      try {
        const found = findSession(request, context.auth?.principal)
        return found instanceof Promise ? found.then((session) => send(session, request, context)) : send(found, request, context)
      } catch (error) {
        return Promise.reject(error)
      }
    },
    get sendsParamHeaders() {
      return sendsParamHeaders
    },
    get size() {
      return pool.size
    },
    close() {
      isClosed = true
      return pool.close(closedError())
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
