import type { IncomingMessage } from 'node:http'
import type { Expiry } from './expiry.ts'
import { type HttpError, refuse } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import type { Body } from './types.ts'

/** A request as Node has it, maybe touched by a framework. */
export type NodeMessage = IncomingMessage & { originalUrl?: string; body?: unknown }

/** What the bodies of one endpoint share. */
export interface BodyFront {
  readonly limits: HttpLimits
  /** Bodies that are being waited for. */
  readonly bodies: Expiry<() => void>
}

/** Takes a body that somebody else has read. */
export function readParsed(body: unknown): Body {
  if (body === undefined) throw new Error('The body of the request was read before; pass it on as request.body')
  if (typeof body === 'string') return { text: body }
  return body instanceof Uint8Array ? { text: new TextDecoder('utf-8', { fatal: true }).decode(body) } : { parsed: body }
}

/** Reads a body that comes in pieces, within its limits of size and time. */
export async function readSlowly(request: NodeMessage, { limits, bodies }: BodyFront): Promise<Buffer> {
  if (request.destroyed) throw refuse(400, 'The body is incomplete')
  const { maxBodyBytes, bodyTimeoutMs } = limits
  const startedAt = performance.now()
  const chunks: Buffer[] = []
  let size = 0
  return await new Promise<Buffer>((resolve, reject) => {
    const fail = (error: HttpError): void => {
      bodies.forget(timeOut)
      request.removeAllListeners('data')
      request.pause()
      reject(error)
    }
    const timeOut = (): void => fail(refuse(408, 'The body did not come in time', { connection: 'close' }))
    bodies.touch(timeOut)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) return fail(tooLarge(maxBodyBytes))
      if (performance.now() - startedAt > bodyTimeoutMs) return timeOut()
      chunks.push(chunk)
      bodies.touch(timeOut)
    })
    request.on('error', () => fail(refuse(400, 'The body is incomplete')))
    request.on('end', () => {
      bodies.forget(timeOut)
      resolve(Buffer.concat(chunks))
    })
  })
}

export function tooLarge(maxBodyBytes: number): HttpError {
  return refuse(413, `The body has more than ${maxBodyBytes} bytes`, { connection: 'close' })
}
