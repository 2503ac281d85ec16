import { refuseBatch } from '../../../jsonrpc/batch.ts'
import { ErrorCode, RpcError } from '../../../jsonrpc/errors.ts'
import { classify, type Failure, failure, type Notification, type Request, type Response } from '../../../jsonrpc/message.ts'
import { isModern } from '../../../protocol/meta.ts'
import type { Revision } from '../../../protocol/revisions.ts'
import { HttpError } from './http-error.ts'

/** The entries of a JSON-RPC batch, by kind. */
export interface Batch {
  readonly requests: readonly Request[]
  /** Notifications and responses, which are not answered. */
  readonly oneWay: readonly (Notification | Response)[]
  /** The responses to invalid entries. */
  readonly invalid: readonly Failure[]
}

/** Sorts the entries of a batch. @throws HttpError 400 if the revision has no batches, or the batch is empty or too long. */
export function parseBatch(values: readonly unknown[], revision: Revision, max: number): Batch {
  const refusal = refuseBatch(values, revision.batches, max)
  if (refusal) throw new HttpError(400, {}, refusal.body())
  const requests: Request[] = []
  const oneWay: (Notification | Response)[] = []
  const invalid: Failure[] = []
  for (const value of values) {
    const received = classify(value)
    if (received.kind === 'invalid') invalid.push(failure(received.id, received.error))
    else if (received.kind !== 'request') oneWay.push(received.message)
    else if (isUnbatchable(received.message)) invalid.push(UNBATCHABLE.response(received.message.id))
    else requests.push(received.message)
  }
  return { requests, oneWay, invalid }
}

const UNBATCHABLE = new RpcError(ErrorCode.invalidRequest, 'Invalid request: this request must not be part of a batch')

/** Reports whether a request is the handshake or belongs to the modern era. */
function isUnbatchable(request: Request): boolean {
  return request.method === 'initialize' || isModern(request)
}
