/**
 * Request headers that repeat a part of the body, so that intermediaries can route by them.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/transports#standard-headers
 */
import type { Notification, Request } from '../../../jsonrpc/message.ts'
import { headerMismatch } from '../../../protocol/errors.ts'
import { decodeHeaderValue, UNENCODED_VALUE } from '../../../protocol/header-params.ts'
import { isModern, readRequestMeta } from '../../../protocol/meta.ts'
import type { MethodLookup } from '../../../protocol/methods.ts'
import { Header } from '../common/headers.ts'
import type { HttpRequest } from './types.ts'

/**
 * Returns a header that repeats a part of the body. With two values, we and an intermediary might each read another one.
 *
 * @throws RpcError -32020 if the header was sent more than once.
 */
export function readSingleHeader(request: HttpRequest, name: string): string | undefined {
  const value = request.header(name)
  if (value?.includes(',') && request.headerCount(name) > 1) throw headerMismatch(`${name} was sent more than once`)
  return value
}

/** Compares the headers of a request with its message. @throws RpcError -32020 on a mismatch. */
export type HeaderValidator = (message: Request | Notification, request: HttpRequest) => void

/**
 * Creates the validation of `Mcp-Method` and `Mcp-Name`. Headers that are not `required` may be missing but must not differ from the body:
 * an intermediary may have relied on them.
 */
export function createHeaderValidator(methodOf: MethodLookup, required: boolean): HeaderValidator {
  return (message, request) => {
    const method = readSingleHeader(request, Header.method)
    if (method === undefined ? required : method !== message.method) throw headerMismatchError(Header.method, method)
    const known = methodOf(message.method)
    if (known?.nameParam === undefined) return
    const name = message.params?.[known.nameParam]
    if (typeof name !== 'string') return
    const header = readSingleHeader(request, Header.name)
    const value = header === undefined || UNENCODED_VALUE.test(header) ? header : decodeHeaderValue(header)
    if (value !== name && (header !== undefined || (required && supportsExtension(message, known.extension))))
      throw headerMismatchError(Header.name, header)
  }
}

/** Reports whether the client declares an extension. Other clients cannot know which headers its methods need. */
function supportsExtension({ params }: Request | Notification, extension: string | undefined): boolean {
  return (
    extension === undefined ||
    (isModern({ params }) && Object.hasOwn(readRequestMeta(params).clientCapabilities.extensions ?? {}, extension))
  )
}

/** Creates the error for a header that is missing or differs from the body. */
export function headerMismatchError(name: string, value: string | undefined): Error {
  return headerMismatch(value === undefined ? `${name} is missing` : `${name} differs from the body`)
}
