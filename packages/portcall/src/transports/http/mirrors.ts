import type { Notification, Request } from '../../jsonrpc/message.ts'
import { headerMismatch } from '../../protocol/errors.ts'
import { matchesHeader } from '../../protocol/header-params.ts'
import { hasEnvelope, readEnvelope } from '../../protocol/meta.ts'
import type { MethodOf } from '../../protocol/methods.ts'
import { Header } from './headers.ts'
import type { HttpRequest } from './types.ts'

/**
 * Reads a header that says something about the body. One that was sent twice could say one thing to us and another to whoever stands
 * between.
 *
 * @throws RpcError -32020 when it was sent more than once.
 */
export function readMirror(request: HttpRequest, name: string): string | undefined {
  const value = request.header(name)
  if (value?.includes(',') && request.headerCount(name) > 1) throw headerMismatch(`${name} was sent more than once`)
  return value
}

/** Checks one message. @throws RpcError -32020. */
export type CheckMirrors = (message: Request | Notification, request: HttpRequest) => void

/**
 * Makes what compares `Mcp-Method` and `Mcp-Name` with the body. Where they are not `required`, they may be missing but still must not lie: what lies
 * between may have decided by them.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#standard-headers
 */
export function createMirrorCheck(methodOf: MethodOf, required: boolean): CheckMirrors {
  return (message, request) => {
    const method = readMirror(request, Header.method)
    if (method === undefined ? required : method !== message.method) throw disagreement(Header.method, method)
    const known = methodOf(message.method)
    const nameParam = known?.nameParam
    const name = nameParam === undefined ? undefined : message.params?.[nameParam]
    if (typeof name !== 'string') return
    const header = readMirror(request, Header.name)
    const wrong = header === undefined ? required && heeds(message, known?.extension) : !matchesHeader(header, name)
    if (wrong) throw disagreement(Header.name, header)
  }
}

/** Whoever does not speak an extension cannot know what its methods mirror. */
function heeds({ params }: Request | Notification, extension: string | undefined): boolean {
  return (
    extension === undefined || (hasEnvelope(params) && extension in (readEnvelope(params).clientCapabilities.extensions ?? {}))
  )
}

function disagreement(name: string, value: string | undefined): Error {
  return headerMismatch(value === undefined ? `${name} is missing` : `${name} says something else than the body`)
}
