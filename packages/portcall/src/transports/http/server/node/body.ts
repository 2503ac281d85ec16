import type { IncomingMessage } from 'node:http'
import type { IdleTimers } from '../../../../../../util/src/idle-timers.ts'
import type { RequestBody } from '../../../../protocol/http.ts'
import { type HttpError, httpError } from '../http-error.ts'
import type { HttpLimits } from '../limits.ts'
import { createByteBuffer } from './byte-buffer.ts'

/** An unread request body up to this size is discarded; for a larger one the connection is closed. */
export const MAX_UNREAD_BYTES: number = 64 * 1024

/** A request of `node:http`, with the members that frameworks add. */
export type NodeRequest = IncomingMessage & { originalUrl?: string; body?: unknown }

/** The state that all bodies of one endpoint share. */
export interface BodyReaderState {
  readonly limits: HttpLimits
  /** Idle timers of the bodies that are being received. */
  readonly bodyTimers: IdleTimers<() => void>
}

/** Converts a body that a framework has read. */
export function readParsed(body: unknown): RequestBody {
  if (body === undefined) throw new Error('The request body was already read; pass it on as request.body')
  if (typeof body === 'string') return { text: body }
  return body instanceof Uint8Array ? { text: new TextDecoder('utf-8', { fatal: true }).decode(body) } : { parsed: body }
}

/** Reads a body that arrives in several chunks, and calls `onData` for each. @throws HttpError 400, 408 or 413. */
export async function readChunks(
  request: NodeRequest,
  { limits, bodyTimers }: BodyReaderState,
  onData?: () => void,
): Promise<Buffer> {
  if (request.destroyed) throw httpError(400, 'The body is incomplete')
  const { maxBodyBytes, bodyTimeoutMs } = limits
  const startedAt = performance.now()
  const received = createByteBuffer()
  return await new Promise<Buffer>((resolve, reject) => {
    const fail = (error: HttpError): void => {
      bodyTimers.remove(onTimeout)
      request.removeAllListeners('data')
      request.pause()
      reject(error)
    }
    const onTimeout = (): void => fail(httpError(408, 'The body did not arrive in time', { connection: 'close' }))
    bodyTimers.touch(onTimeout)
    request.on('data', (chunk: Buffer) => {
      if (received.length + chunk.length > maxBodyBytes) return fail(tooLarge(maxBodyBytes))
      if (performance.now() - startedAt > bodyTimeoutMs) return onTimeout()
      received.push(chunk)
      onData?.()
      bodyTimers.touch(onTimeout)
    })
    request.on('error', () => fail(httpError(400, 'The body is incomplete')))
    request.on('end', () => {
      bodyTimers.remove(onTimeout)
      resolve(received.take())
    })
  })
}

export function tooLarge(maxBodyBytes: number): HttpError {
  return httpError(413, `The body exceeds ${maxBodyBytes} bytes`, { connection: 'close' })
}
