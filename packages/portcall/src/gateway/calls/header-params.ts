import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { headerMismatch } from '../../protocol/errors.ts'
import { type HeaderParam, paramHeaders, readHeaderParams, verifyHeaderParams } from '../../protocol/header-params.ts'
import { oncePer } from '../../util/once-per.ts'

/** The headers that repeat arguments of one tool. */
export interface ToolHeaders {
  /** Compares the headers of a call with its arguments. @throws RpcError -32020 when they differ. */
  check(args: JsonObject, context: ExchangeContext): void
  /** Returns the headers of a call, or `undefined` if there are none. */
  create(args: JsonObject): Record<string, string> | undefined
}

/** Returns the headers of calls of a tool. An invalid definition has none. */
export const toolHeadersOf: (definition: JsonObject) => ToolHeaders = oncePer((definition) => {
  const params = readParams(definition)
  return {
    check(args, { readParamHeader }) {
      const reason = readParamHeader && verifyHeaderParams(params, args, readParamHeader)
      if (reason !== undefined) throw headerMismatch(reason)
    },
    create: (args) => (params.length > 0 ? paramHeaders(params, args) : undefined),
  }
})

function readParams({ inputSchema }: JsonObject): readonly HeaderParam[] {
  try {
    return isObject(inputSchema) ? readHeaderParams(inputSchema) : []
  } catch {
    return []
  }
}
