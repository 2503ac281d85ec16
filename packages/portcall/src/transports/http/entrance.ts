import type { Auth } from '../../jsonrpc/exchange.ts'
import type { Visit } from './endpoint.ts'
import { createGuard } from './guard.ts'
import { Header } from './headers.ts'
import { refuse } from './http-error.ts'
import type { HttpLimits } from './limits.ts'
import { readAccept } from './media.ts'
import { VERBS } from './post.ts'
import type { HttpOptions, HttpReply, HttpRequest } from './types.ts'

/** Lets a request in, or throws `HttpError`: all that can be decided before a body is read. */
export type Entrance = (request: HttpRequest, reply: HttpReply) => Promise<Visit>

/** Makes the way in: guard, size and path of the target, method, and who is calling, in this order. */
export function createEntrance(limits: HttpLimits, options: HttpOptions): Entrance {
  const guard = createGuard(options)
  const { path, authenticate } = options
  return async (request, reply) => {
    const refusal = guard(request)
    if (refusal) throw refusal
    if (request.target.length > limits.maxTargetBytes) throw refuse(414, 'The target of the request is too long')
    if (path !== undefined && pathOf(request.target) !== path) throw refuse(404, `Not found: the endpoint is at ${path}`)
    if (!VERBS.has(request.method)) throw refuse(405, 'Method not allowed', { allow: [...VERBS.keys()].join(', ') })
    const auth: Auth | undefined = authenticate && (await authenticate(request))
    return { request, reply, auth, accepted: readAccept(request.header(Header.accept)) }
  }
}

/** The path of a request target, which may be a whole URL. */
export function pathOf(target: string): string {
  const start = target.startsWith('/') ? 0 : target.indexOf('/', target.indexOf('://') + 3)
  return start < 0 ? '/' : target.slice(start).split('?', 1)[0] ?? ''
}
