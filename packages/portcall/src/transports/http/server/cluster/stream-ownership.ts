import { isObject, type RequestId } from '../../../../jsonrpc/message.ts'
import { type HttpError, httpError } from '../http-error.ts'
import type { ClusterSession } from './cluster-session.ts'
import type { ClusterNode } from './node.ts'
import type { StreamRecord } from './records.ts'

/** Transfers streams to this node. A transfer completes when the previous owners have stopped sending, or have failed. */
export interface StreamOwnership {
  /** Makes this node the reader of a stream: the node that sends it to the client. @throws HttpError 503 if another node is faster. */
  claimReader(session: ClusterSession, name: string, record: StreamRecord): Promise<StreamRecord>
  /**
   * Makes this node the reader and the writer of a stream. Returns the requests that have no response yet.
   *
   * @throws HttpError 503 if another node is faster.
   */
  claimWriter(session: ClusterSession, name: string, record: StreamRecord): Promise<RequestId[]>
}

export function createStreamOwnership({ lease, rpc }: ClusterNode): StreamOwnership {
  const releaseElsewhere = async ({ id }: ClusterSession, name: string, { writer, reader }: StreamRecord): Promise<void> => {
    const others = [...new Set([writer, reader])].filter((owner) => !lease.isOwn(owner))
    const params = { session: id, name, reader: lease.owner }
    await Promise.all(others.map((owner) => rpc.request(owner, 'releaseStream', params)))
  }
  return {
    async claimReader(session, name, record) {
      const claimed = { ...record, reader: lease.owner }
      if (record.reader !== lease.owner && !(await session.logs.claim(name, record, claimed))) throw conflict()
      await releaseElsewhere(session, name, record)
      return claimed
    },
    async claimWriter(session, name, record) {
      const { logs } = session
      const { owner } = lease
      await releaseElsewhere(session, name, record)
      const { events, end } = await logs.readLastLog(name, record)
      const current = (await logs.readRecord(name)) ?? record
      const claimed: StreamRecord = { ...record, writer: owner, reader: owner, earlierLogEnds: [...record.earlierLogEnds, end] }
      if (current.writer !== record.writer || !(await logs.claim(name, current, claimed))) throw conflict()
      return unansweredRequests(record, events)
    },
  }
}

function unansweredRequests({ requestIds }: StreamRecord, events: readonly string[]): RequestId[] {
  const answered = new Set(events.filter(Boolean).map(responseIdOf))
  return requestIds.filter((id) => !answered.has(id))
}

/** Returns the id of a response, and undefined for all other messages. */
function responseIdOf(text: string): unknown {
  const message: unknown = JSON.parse(text)
  return isObject(message) && !('method' in message) ? message.id : undefined
}

function conflict(): HttpError {
  return httpError(503, 'Another process is taking over this stream', { 'retry-after': '1' })
}
