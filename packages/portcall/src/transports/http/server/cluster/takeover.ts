/**
 * Resumption of streams at any node. There are three cases:
 *
 * - This node writes the stream. It continues here, once the node that sent it to the client has stopped.
 * - Another node that is alive writes the stream. It continues to write, and this node tails the log.
 * - The writer has failed, or the stream is standalone, which any node can write. This node takes it over: it starts another log, and later
 *   entries of the previous log are ignored. Requests of the failed node are answered with an error, or run again.
 */

import { createKeyedMutex } from '../../../../../../util/src/async.ts'
import { unref } from '../../../../../../util/src/timers.ts'
import { ErrorCode, RpcError } from '../../../../jsonrpc/errors.ts'
import type { RequestId } from '../../../../jsonrpc/message.ts'
import { UnknownPositionError } from '../../../../stores/log.ts'
import type { ResponseSink } from '../sessions/post-response.ts'
import { eventNotFound, parseEventId } from '../sessions/resumable-streams.ts'
import type { Stream } from '../sessions/stream.ts'
import type { HttpContext } from '../types.ts'
import type { ClusterSession } from './cluster-session.ts'
import type { ClusterNode } from './node.ts'
import type { NotifierElection } from './notifier.ts'
import type { StreamRecord } from './records.ts'
import { createStreamOwnership, type StreamOwnership } from './stream-ownership.ts'
import { createStreamTails, type OpenTail, type StreamRequest } from './stream-tail.ts'

export interface Takeover {
  /** Answers a GET with the events of a stream after `eventId`. @throws HttpError 400, 404, 503. */
  resume(session: ClusterSession, eventId: string, context: HttpContext): Promise<void>
  /** Releases a stream because another node, `reader`, now sends it to the client and perhaps writes it. */
  release(session: ClusterSession, name: string, reader: string): Promise<void>
  stop(): void
}

/** A client resumes a stream after a position. */
interface Resumption extends StreamRequest {
  readonly after: string
}

/** A stream that this node takes over. */
interface Orphan extends StreamRequest {
  readonly record: StreamRecord
}

interface TakeoverDeps {
  readonly node: ClusterNode
  readonly ownership: StreamOwnership
  readonly notifier: NotifierElection
}

/** Stream names and positions consist of these characters. */
const TOKEN = /^[\w-]+$/
/** The tails are checked this many times within the lease time, in case the bus has lost a message or a writer has failed. */
const CHECKS_PER_LEASE = 3
const NODE_FAILED = new RpcError(ErrorCode.internalError, 'The process that ran this request has failed')

export function createTakeover(node: ClusterNode, notifier: NotifierElection): Takeover {
  const { endpoint, lease } = node
  const deps: TakeoverDeps = { node, notifier, ownership: createStreamOwnership(node) }
  const tails = createStreamTails(node)
  /** Serializes the transfers of a stream. */
  const mutex = createKeyedMutex()
  const transfer = <T>(session: ClusterSession, name: string, task: () => Promise<T>): Promise<T> =>
    mutex.run(`${session.id}/${name}`, task)

  const resumeElsewhere = async ({ session, name, context, after }: Resumption): Promise<void> => {
    const { logs } = session
    const first = await logs.readAfter(name, after)
    const record = await logs.readRecord(name)
    if (!record) throw eventNotFound()
    if (first.isEnded) return tails.open({ session, name, context, after, first })
    const claimed = record.isStandalone ? record : await deps.ownership.claimReader(session, name, record)
    if (!record.isStandalone && (await lease.isAlive(record.writer)))
      return tails.open({ session, name, context, after, first: await logs.readAfter(name, after) })
    const stream = await takeOver({ session, name, record: claimed, context }, deps)
    await stream.resume(context, after)
  }
  const resume = async (resumption: Resumption): Promise<void> => {
    const { session, name, context, after } = resumption
    const stream = session.logs.isStored(name) ? session.streams.get(name) : undefined
    if (!stream) return resumeElsewhere(resumption)
    await moveHere(session, stream, deps)
    await stream.resume(context, after)
  }
  /** Sends events whose notification was lost, and takes the stream over if its writer has failed. */
  const check = async ({ session, name, context, tail }: OpenTail): Promise<void> => {
    tail.pull()
    const record = await session.logs.readRecord(name)
    if (!record || tail.isClosed || record.writer === lease.owner || (await lease.isAlive(record.writer))) return
    await takeOver({ session, name, record, context }, deps)
    tail.pull()
  }
  const checkAll = async (): Promise<void> => {
    for (const open of tails.list()) await transfer(open.session, open.name, () => check(open))
  }
  const intervalMs = endpoint.limits.nodeLeaseTtlMs / CHECKS_PER_LEASE
  const timer = unref(setInterval(() => void checkAll().catch(endpoint.onError), intervalMs))

  return {
    async resume(session, eventId, context) {
      const { prefix, stream: name, position: after } = parseEventId(eventId)
      if (prefix !== session.stored.record.eventIdPrefix || !TOKEN.test(name) || !TOKEN.test(after)) throw eventNotFound()
      try {
        await transfer(session, name, () => resume({ session, name, context, after }))
      } catch (error) {
        throw error instanceof UnknownPositionError ? eventNotFound() : error
      } finally {
        await notifier.settle(session)
      }
    },
    async release(session, name, reader) {
      session.tails.get(name)?.end()
      const stream = session.streams.get(name)
      if (!stream) return
      if (!stream.isStandalone) {
        stream.disconnect()
        return session.logs.setReader(name, reader)
      }
      await notifier.stepDown(session)
      await stream.whenRecorded()
      await session.logs.whenFlushed(name)
      session.abandonStream(name)
    },
    stop: () => clearInterval(timer),
  }
}

/** Makes this node the reader of a stream that it writes. */
async function moveHere(session: ClusterSession, stream: Stream, { node, ownership, notifier }: TakeoverDeps): Promise<void> {
  const { streams, logs, tails } = session
  const { name, isStandalone } = stream
  streams.reactivate(stream)
  tails.get(name)?.end()
  if (isStandalone) await notifier.claim(session)
  if (logs.readerOf(name) === node.lease.owner) return
  const record = await logs.readRecord(name)
  if (!record) throw eventNotFound()
  await ownership.claimReader(session, name, record)
  logs.setReader(name, node.lease.owner)
}

/** Continues a stream on this node. Its events and resumptions are paused until this node is the writer. */
async function takeOver(orphan: Orphan, { ownership, notifier }: TakeoverDeps): Promise<Stream> {
  const { session, name, record } = orphan
  const stream = session.streams.add(name, record.isStandalone)
  let start!: () => void
  stream.pauseUntil(new Promise((resolve) => void (start = resolve)))
  try {
    if (record.isStandalone) await notifier.claim(session)
    const unanswered = await ownership.claimWriter(session, name, record)
    if (!record.isStandalone) finishRequests(orphan, stream, unanswered)
    return stream
  } catch (error) {
    session.abandonStream(name)
    throw error
  } finally {
    start()
  }
}

/** Runs the request of a failed node again if that is safe. Otherwise answers its requests with an error. */
function finishRequests({ session, record, context }: Orphan, stream: Stream, unanswered: readonly RequestId[]): void {
  const { rerunnable } = record
  if (unanswered.length > 0 && rerunnable) {
    // Rejects only if the session has ended meanwhile, which closes the stream.
    session.session.request(rerunnable, createStreamSink(stream), context).catch(() => {})
    return
  }
  for (const id of unanswered) void stream.send(NODE_FAILED.response(id))
  stream.end()
}

/** Sends the response to a request that is run again on its stream. */
function createStreamSink(stream: Stream): ResponseSink {
  return {
    canRequest: true,
    canRelease: false,
    send: (message) => stream.send(message),
    respond(response) {
      if (response) void stream.send(response)
      stream.end()
    },
    release() {},
  }
}
