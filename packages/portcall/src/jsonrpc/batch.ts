import { ErrorCode, RpcError } from './errors.ts'
import type { Response } from './message.ts'

/** Checks an array that came where one message may stand; returns the error that refuses it, or nothing. */
export function refuseBatch(batch: readonly unknown[], allowed: boolean, max: number): RpcError | undefined {
  if (!allowed) return new RpcError(ErrorCode.invalidRequest, 'Invalid request: batches are not part of this protocol revision')
  if (batch.length === 0) return new RpcError(ErrorCode.invalidRequest, 'Invalid request: the batch is empty')
  if (batch.length > max) return new RpcError(ErrorCode.invalidRequest, `Invalid request: a batch has at most ${max} messages`)
  return undefined
}

/**
 * Answers each entry of a batch and gathers the answers (JSON-RPC 2.0, section 6). Entries run side by side; those that
 * need no answer leave no trace, so the result may be empty.
 */
export async function answerBatch(
  batch: readonly unknown[],
  answer: (entry: unknown) => Promise<Response | undefined>,
): Promise<Response[]> {
  const answers = await Promise.all(batch.map(answer))
  return answers.filter((response): response is Response => response !== undefined)
}
