import type { Cors } from './cors.ts'
import { checkedHeaders, Header } from './headers.ts'
import type { BesideAnswer, HttpOptions } from './options.ts'
import { checkedStatus } from './status.ts'
import type { HttpReply, HttpRequest } from './types.ts'

/** Answers a request that is not for the endpoint itself. Tells whether it did. */
export type Aside = (request: HttpRequest, reply: HttpReply) => boolean | Promise<boolean>

/** Makes what answers beside an endpoint: the questions of browsers, and what the `beside` hook has to say; nothing when there is neither. */
export function createAside({ beside }: HttpOptions, cors: Cors | undefined): Aside | undefined {
  if (!beside && !cors) return undefined
  return (request, reply) => {
    const preflight = cors?.preflight(request)
    if (preflight) {
      reply.send(204, preflight)
      return true
    }
    const answer = beside?.(request)
    return answer instanceof Promise ? answer.then((late) => send(reply, late)) : send(reply, answer)
  }
}

function send(reply: HttpReply, answer: BesideAnswer | undefined): boolean {
  if (!answer) return false
  const headers = { [Header.cacheControl]: 'no-store', ...checkedHeaders(answer.headers ?? {}) }
  reply.send(checkedStatus(answer.status), Object.entries(headers).flat(), answer.body)
  return true
}
