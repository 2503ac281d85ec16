import { refuseBatch } from '../../jsonrpc/batch.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { classify, type Failure, failure, type Notification, type Request, type Response } from '../../jsonrpc/message.ts'
import { isModern } from '../../legacy/negotiate.ts'
import type { Revision } from '../../protocol/revisions.ts'
import { HttpError } from './http-error.ts'

/** A batch, sorted. */
export interface Batch {
  readonly requests: readonly Request[]
  /** What is not answered. */
  readonly others: readonly (Notification | Response)[]
  /** The answers to entries that are no messages. */
  readonly refusals: readonly Failure[]
}

/** Sorts the entries of a batch. @throws HttpError 400 when this revision has no batches, or it is empty or too long. */
export function readBatch(values: readonly unknown[], revision: Revision, max: number): Batch {
  const refusal = refuseBatch(values, revision.batches, max)
  if (refusal) throw new HttpError(400, {}, refusal.body())
  const requests: Request[] = []
  const others: (Notification | Response)[] = []
  const refusals: Failure[] = []
  for (const value of values) {
    const received = classify(value)
    if (received.kind === 'invalid') refusals.push(failure(received.id, received.error))
    else if (received.kind !== 'request') others.push(received.message)
    else if (isAlone(received.message)) refusals.push(ALONE.response(received.message.id))
    else requests.push(received.message)
  }
  return { requests, others, refusals }
}

const ALONE = new RpcError(ErrorCode.invalidRequest, 'Invalid request: this one cannot be part of a batch')

/** A handshake, and what belongs to the other era. */
function isAlone(request: Request): boolean {
  return request.method === 'initialize' || isModern(request)
}
