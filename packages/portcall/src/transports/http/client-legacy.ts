/**
 * A server of the legacy era behind Streamable HTTP. Each message is a POST; the answer to a request is one JSON text, or a stream on which
 * the server may ask and tell things first. A stream whose events are numbered is picked up where it broke off, and one more stands open for
 * what belongs to no request.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
import { ConnectionLost } from '../../jsonrpc/errors.ts'
import { throwIfGivenUp } from '../../jsonrpc/exchange.ts'
import {
  type Message,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
} from '../../jsonrpc/message.ts'
import { pause } from '../../jsonrpc/waiting.ts'
import type { Asker, LegacyLink } from '../../legacy/link.ts'
import type { Call } from './call.ts'
import type { HttpClientLimits } from './client-limits.ts'
import { type ClientSession, createClientSession } from './client-session.ts'
import { Header } from './headers.ts'
import { HttpStatusError } from './http-status-error.ts'
import { createInbound } from './inbound.ts'
import { isEventStream } from './media.ts'
import { type Position, readFailure, readMessages, readStatus, readUpTo, unanswered } from './messages.ts'
import { createRemote, type HttpClientOptions } from './remote.ts'
import { namesLostSession } from './session-lost.ts'
import { keepStanding } from './standing.ts'
import { retryAfter, within } from './timing.ts'

/** Reaches a server of the legacy era at one URL; nothing is sent yet. */
export function createHttpLink(options: HttpClientOptions): LegacyLink {
  const remote = createRemote(options)
  const { limits, onError } = remote
  const ending = new AbortController()
  let lastId = 0

  const end = (reason: Error | undefined): void => {
    ending.abort(reason ?? new ConnectionLost('The connection was closed', { retryable: false }))
    inbound.end(reason)
  }
  const report = (error: unknown): void => void (inbound.ended || onError(error))
  const session = createClientSession(remote, end)
  const tell = async (message: Notification | Response): Promise<void> => {
    const call = await session.post(message, { withinMs: limits.acceptMs })
    if (!call.ok) throw await readStatus(call)
    if (isEventStream(call.header(Header.contentType))) void takeAll(call).catch(report)
    else call.release()
  }
  const inbound = createInbound({ maxAsked: limits.maxAsked, deliver: tell, onError })
  const takeAll = async (call: Call): Promise<void> => {
    for await (const message of readMessages(call)) await inbound.take(message)
  }
  const open = (eventId: string | undefined): Promise<Call> => session.get(eventId, ending)
  const standing = { limits, signal: ending.signal, open, onMessage: inbound.take, onGap: inbound.gap, onError }

  return {
    receive: inbound.receive,
    notify: tell,
    async ask(method, params, asker = {}) {
      throwIfGivenUp(asker)
      const id = ++lastId
      const isFirst = method === 'initialize'
      const questions: RequestId[] = []
      const take = (message: Message): void | Promise<void> => {
        if ('method' in message && 'id' in message) questions.push(message.id)
        return inbound.take(message)
      }
      const request: Request = params === undefined ? { jsonrpc: '2.0', id, method } : { jsonrpc: '2.0', id, method, params }
      try {
        const { identified } = session
        const call = await session.post(request, { caller: asker, headers: asker.send?.headers })
        if (!call.ok) return await readRefusal(call, id, { session, identified })
        if (isFirst) session.begin(call)
        const response = await readResponse(call, { id, limits, asker, ending: ending.signal, session, take })
        if (isFirst && 'result' in response) session.speak(response.result)
        return response
      } catch (error) {
        if (asker.signal?.aborted && !isFirst && !inbound.ended)
          void tell(notification('notifications/cancelled', { requestId: id })).catch(report)
        for (const requestId of questions) void inbound.take(notification('notifications/cancelled', { requestId }))
        throw error
      }
    },
    async opened() {
      if (!session.named) return
      await within(limits.openMs, (onFirst) => void keepStanding({ ...standing, onFirst, onUnknown: () => session.forget() }))
    },
    async close() {
      end(undefined)
      await session.leave()
    },
  }
}

/** Reads the refusal of a request. When it is that the session is not known which the request has named, the session ends. */
async function readRefusal(
  call: Call,
  id: RequestId,
  { session, identified }: { session: ClientSession; identified: boolean },
): Promise<Response> {
  const refusal = await readFailure(call, id)
  if (identified && call.status === 400 && namesLostSession(refusal)) throw session.forget()
  return refusal
}

interface Reading {
  readonly id: RequestId
  readonly limits: HttpClientLimits
  readonly asker: Asker
  /** The link is closed. */
  readonly ending: AbortSignal
  readonly session: ClientSession
  readonly take: (message: Message) => void | Promise<void>
}

/** Reads an answer up to the response. When it ends before that, and its events are numbered, the rest is asked for, again and again. */
async function readResponse(first: Call, { id, limits, asker, ending, session, take }: Reading): Promise<Response> {
  const position: Position = {}
  let failures = 0
  for (let call: Call | undefined = first; ; call = undefined) {
    let fault: unknown
    try {
      call ??= await resume(session, position, asker)
      const response = await readUpTo(id, call, { take, position })
      if (response) return response
      fault = unanswered(call)
      failures = 0
    } catch (error) {
      if (!isPassing(error)) throw error
      fault = error
      failures++
    }
    if (position.eventId === undefined || failures > limits.maxResumeFailures) throw fault
    await pause(retryAfter(limits, position.retryMs, failures), asker.signal, ending)
  }
}

/** Asks for the rest of a stream; a server that does not have it is not asked again. */
async function resume(session: ClientSession, position: Position, asker: Asker): Promise<Call> {
  const call = await session.get(position.eventId, asker)
  if (call.ok) return call
  const cause = await readStatus(call)
  if (cause.retryable) throw cause
  position.eventId = undefined
  throw new ConnectionLost(`The answer broke off, and its rest cannot be had: ${cause.message}`, { cause })
}

function isPassing(error: unknown): boolean {
  return (error instanceof ConnectionLost || error instanceof HttpStatusError) && error.retryable
}
