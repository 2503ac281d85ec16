import { ErrorCode, RpcError } from './errors.ts'
import type { Response } from './message.ts'

/** Returns the error with which a batch is refused, or `undefined` for a valid one. */
export function refuseBatch(batch: readonly unknown[], allowed: boolean, max: number): RpcError | undefined {
  if (!allowed) return new RpcError(ErrorCode.invalidRequest, 'Invalid request: this protocol revision has no batches')
  if (batch.length === 0) return new RpcError(ErrorCode.invalidRequest, 'Invalid request: the batch is empty')
  if (batch.length > max) return new RpcError(ErrorCode.invalidRequest, `Invalid request: a batch has at most ${max} messages`)
  return undefined
}

/**
 * Handles the entries of a batch concurrently and returns their responses in the order of the entries (JSON-RPC 2.0, section 6). Entries
 * without a response are left out. Resolves to `undefined` if none has one.
 */
export async function answerBatch(
  batch: readonly unknown[],
  answer: (entry: unknown) => Promise<Response | undefined>,
): Promise<Response[] | undefined> {
  const responses = (await Promise.all(batch.map(answer))).filter((response) => response !== undefined)
  return responses.length > 0 ? responses : undefined
}
