import { randomId } from '../../../../../../util/src/random.ts'
import { withTimeout } from '../../../../../../util/src/timers.ts'
import type { Auth } from '../../../../jsonrpc/exchange.ts'
import { classify, isObject, type JsonObject, type Notification, type Response } from '../../../../jsonrpc/message.ts'
import { createSessionState } from '../../../../legacy/server/session-state.ts'
import type { NodeHandlers } from '../../../../stores/nodes/node-rpc.ts'
import { ownedSecret, ownerKey } from '../../../../stores/owned-keys.ts'
import type { HttpEndpoint } from '../endpoint.ts'
import { type HttpError, httpError } from '../http-error.ts'
import { handleHttpSseMessage } from '../sessions/http-sse.ts'
import type { MessageSource } from '../sessions/session.ts'
import type { SessionBackend, SessionTransport } from '../sessions/session-backend.ts'
import { createSessionHandler } from '../sessions/session-handler.ts'
import type { HttpContext, LegacyHandler, ValidMessage } from '../types.ts'
import type { ClusterSession } from './cluster-session.ts'
import { ClusterNode, type ClusterOptions, nodeOfRequestId } from './node.ts'
import { createNotifierElection, type NotifierElection } from './notifier.ts'
import type { SessionRecord } from './records.ts'
import { SessionCache } from './session-cache.ts'
import { deleteStreams } from './stream-logs.ts'
import { createTakeover, type Takeover } from './takeover.ts'

const EVENT_ID_PREFIX_BYTES = 6
const SESSION_ID_BYTES = 16
/** A session that another node has cached is compared with the store after a few seconds in any case. */
const FORGET_TIMEOUT_MS = 1000

/** Creates the handler for legacy clients with sessions in stores, which every process of a service can serve. */
export function createClusterHandler(endpoint: HttpEndpoint, options: ClusterOptions): LegacyHandler {
  return createSessionHandler(endpoint, createClusterBackend(endpoint, options))
}

/**
 * Creates the backend for sessions that several processes share. A session is a record in the store, the events of its streams are in logs,
 * and messages for a request that runs on another node go over the bus. Each node caches the sessions that it uses, and writes what the other
 * nodes need to know before it answers.
 */
function createClusterBackend(endpoint: HttpEndpoint, options: ClusterOptions): SessionBackend<ClusterSession> {
  const node = new ClusterNode(endpoint, options)
  const { lease, rpc } = node
  const cache = new SessionCache(node)
  const notifier = createNotifierElection(node, cache)
  const takeover = createTakeover(node, notifier)
  const parts = { node, cache, notifier, takeover }
  cache.listeners = { onListenersGone: notifier.offer, onBusy: notifier.check }
  lease.setListeners({ onLost: () => disconnectAll(cache), onRegained: () => reclaimAll(cache) })
  rpc.setHandlers(createNodeHandlers(parts))

  return {
    async create(transport, auth) {
      await node.start()
      const id = auth ? ownedSecret(await ownerKey(auth.principal), SESSION_ID_BYTES) : randomId(SESSION_ID_BYTES)
      return cache.add(id, { record: createRecord(node, transport, auth), text: '' }, auth)
    },
    async save(session) {
      const { state } = session.legacy
      session.stored = await cache.store.add(session.id, { ...session.stored.record, state })
      session.touchedAt = performance.now()
    },
    discard: (session) => cache.remove(session),
    async find(id, transport, auth) {
      await node.start()
      return cache.find(id, transport, auth)
    },
    deliver: (session, message) => deliver(node, session, message),
    async forward(id, received, context) {
      await node.start()
      return forward(parts, { id, received, context })
    },
    async listen(session, context) {
      requireLease(node)
      let begin!: () => void
      const stream = session.streams.open(context, { beginsAfter: new Promise((resolve) => void (begin = resolve)) })
      try {
        await notifier.claim(session, begin)
      } catch (error) {
        stream.detachReply()
        throw error
      } finally {
        begin()
      }
      await notifier.settle(session)
    },
    async resume(session, eventId, context) {
      requireLease(node)
      await takeover.resume(session, eventId, context)
    },
    async end(session) {
      const { transport, principal } = session.stored.record
      // This session ends with its stream, even if the store is unavailable. It has no logs that must be flushed first.
      if (transport === 'http-sse') cache.remove(session)
      await cache.store.delete(session.id, principal)
      if (transport === 'streamable-http') await whenForgotten(node, session.id)
    },
    list: () => cache.list(),
    async close() {
      takeover.stop()
      cache.stop()
      await node.stop()
    },
  }
}

interface ClusterParts {
  readonly node: ClusterNode
  readonly cache: SessionCache
  readonly notifier: NotifierElection
  readonly takeover: Takeover
}

function createRecord({ lease }: ClusterNode, transport: SessionTransport, auth: Auth | undefined): SessionRecord {
  return {
    transport,
    principal: auth?.principal,
    eventIdPrefix: randomId(EVENT_ID_PREFIX_BYTES),
    state: createSessionState(),
    lastUsedAt: Date.now(),
    ...(transport === 'http-sse' && { notifier: lease.owner, isBusy: true }),
  }
}

/** Waits until no other node answers requests of a session that has ended. Does not wait longer for a node that does not respond. */
async function whenForgotten({ lease, rpc }: ClusterNode, session: string): Promise<void> {
  const tellOthers = async (): Promise<unknown> =>
    Promise.all((await lease.listOthers()).map((other) => rpc.request(other, 'sessionEnded', { session })))
  await withTimeout(tellOthers(), FORGET_TIMEOUT_MS, () => new Error('timeout')).catch(() => {})
}

/** @throws HttpError 503 if the lease was lost: other nodes may take over any stream that this node opens. */
function requireLease({ lease }: ClusterNode): void {
  if (!lease.isHeld())
    throw httpError(503, 'This process has lost contact with the session store: try again later', { 'retry-after': '1' })
}

/** Handles a message that is not a request, or passes it to the node that waits for it. @throws HttpError 503. */
async function deliver({ lease, rpc }: ClusterNode, target: ClusterSession, message: Notification | Response): Promise<void> {
  const { id, session } = target
  if (session.receive(message)) return
  if ('method' in message) {
    if (message.method === 'notifications/cancelled') await rpc.broadcast('message', { session: id, message })
    return
  }
  const waiting = nodeOfRequestId(message.id)
  if (waiting === undefined || waiting === lease.node) return
  if (await rpc.request(waiting, 'message', { session: id, message })) return
  throw httpError(503, 'The process that sent this request has failed', { 'retry-after': '1' })
}

interface ForwardedPost {
  readonly id: string
  readonly received: ValidMessage
  readonly context: HttpContext
}

/** Passes a message of an HTTP+SSE session to the node that has its stream. Returns false if that is this node. */
async function forward({ node, cache }: ClusterParts, { id, received, context }: ForwardedPost): Promise<boolean> {
  if (cache.get(id)) return false
  const { auth } = context
  const record = (await cache.store.read(id))?.record
  if (record?.transport !== 'http-sse' || record.principal !== auth?.principal) throw notFound()
  const headers = Object.fromEntries(context.headers())
  const params = { session: id, message: received.message, headers, auth }
  const result = await node.rpc.request(record.notifier ?? '', 'httpSseMessage', params)
  if (!result?.isHandled) throw notFound()
  return true
}

/** Creates the handlers for the messages of other nodes. */
function createNodeHandlers({ node, cache, notifier, takeover }: ClusterParts): NodeHandlers {
  return {
    async sessionEnded({ session }) {
      if (await cache.forget(String(session))) await deleteStreams(node.stores, String(session))
    },
    stateChanged: ({ session }) => cache.invalidate(session),
    streamAppended: ({ session, name }) => cache.get(session)?.tails.get(String(name))?.pull(),
    message: ({ session, message }) => void cache.get(session)?.session.receive(message as Notification | Response),
    httpSseMessage: (params) => handleForwarded(cache.get(params.session), params, node),
    async syncSubscriptions(params) {
      const session = cache.get(params.session)
      if (!session) return
      await cache.refresh(session)
      await session.legacy.syncSubscriptions()
    },
    async releaseStream({ session: id, name, reader }) {
      const session = cache.get(id)
      if (session) await takeover.release(session, String(name), String(reader))
    },
    hasListener: ({ session }) => ({ hasListener: cache.get(session)?.streams.hasListener === true }),
    async notifierOffered(params) {
      const session = cache.get(params.session)
      if (session?.streams.hasListener) await notifier.claim(session)
    },
    async stepDown(params) {
      const session = cache.get(params.session)
      if (session) await notifier.stepDown(session)
    },
  }
}

/** Handles a message of an HTTP+SSE session that was posted to another node. */
function handleForwarded(
  session: ClusterSession | undefined,
  { message, headers, auth }: JsonObject,
  { endpoint }: ClusterNode,
): { isHandled: boolean } {
  const received = classify(message)
  if (!session || received.kind === 'invalid') return { isHandled: false }
  const fields = isObject(headers) ? headers : {}
  const source: MessageSource = {
    header: (name) => textOf(fields[name.toLowerCase()]),
    auth: isAuth(auth) ? auth : undefined,
  }
  void handleHttpSseMessage(session, received, source).catch(endpoint.onError)
  return { isHandled: true }
}

/** Disconnects the streams that other nodes may take over now. */
function disconnectAll(cache: SessionCache): void {
  for (const session of cache.list()) session.disconnectStoredStreams()
}

/** Claims the streams of this node again, and abandons those that other nodes have taken over. */
async function reclaimAll(cache: SessionCache): Promise<void> {
  for (const session of cache.list()) {
    cache.invalidate(session.id)
    for (const name of await session.logs.reclaim()) session.abandonStream(name)
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function isAuth(value: unknown): value is Auth {
  return isObject(value) && typeof value.principal === 'string'
}

function notFound(): HttpError {
  return httpError(404, 'Session not found')
}
