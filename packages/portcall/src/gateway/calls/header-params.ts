import type { ExchangeContext } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { headerMismatch } from '../../protocol/errors.ts'
import { type HeaderParam, paramHeaders, readHeaderParams, verifyHeaderParams } from '../../protocol/header-params.ts'

/** The arguments that are repeated in headers, by definition of a tool. */
const known = new WeakMap<JsonObject, readonly HeaderParam[]>()

function headerParamsOf(definition: JsonObject): readonly HeaderParam[] {
  let params = known.get(definition)
  if (!params) {
    params = readParams(definition)
    known.set(definition, params)
  }
  return params
}

function readParams({ inputSchema }: JsonObject): readonly HeaderParam[] {
  try {
    return isObject(inputSchema) ? readHeaderParams(inputSchema) : []
  } catch {
    return []
  }
}

/** Compares the headers of a call with its arguments. @throws RpcError -32020 when they differ. */
export function checkHeaderParams(definition: JsonObject, args: JsonObject, { readParamHeader }: ExchangeContext): void {
  const params = readParamHeader && headerParamsOf(definition)
  const reason = params && params.length > 0 ? verifyHeaderParams(params, args, readParamHeader) : undefined
  if (reason !== undefined) throw headerMismatch(reason)
}

/** Returns the headers that repeat arguments of a call, or `undefined` if there are none. */
export function createParamHeaders(definition: JsonObject, args: JsonObject): Record<string, string> | undefined {
  const params = headerParamsOf(definition)
  return params.length > 0 ? paramHeaders(params, args) : undefined
}
