import type { Client } from '../../client/types.ts'
import { RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { parseObject } from '../../jsonrpc/parse-object.ts'
import { checkCondition, isCheck, RESULT_CHECKS, type ResultCondition } from './result-condition.ts'

/** How much of a value a message shows. */
const MAX_SHOWN = 300

/** A call in a file. */
export interface CallInFile {
  /** A name for display. */
  readonly name: string
  /** The operation: `{ type: 'call-tool', name, arguments }`, `read-resource` with `uri`, `get-prompt`, or `request` with `method` and `params`. */
  readonly request: JsonObject
  /** The conditions on the result. */
  readonly assertions: readonly ResultCondition[]
}

/** The outcome of a call in a file. */
export interface CallFileOutcome {
  /** The name of the call. */
  readonly name: string
  /** True if all conditions hold. */
  readonly passed: boolean
  /** The conditions that do not hold, in sentences. */
  readonly failures: readonly string[]
}

/** Reads a file of saved calls. Returns `undefined` if the text is none. @throws SyntaxError if it is invalid. */
export function readCallFile(text: string): CallInFile[] | undefined {
  const document = parseObject(text)
  if (document?.portcall !== 'calls') return undefined
  if (document.version !== 1) throw new SyntaxError(`The file has the version ${String(document.version)}; this version reads 1`)
  if (!Array.isArray(document.calls)) throw new SyntaxError('The file has no list "calls"')
  return document.calls.map((call: unknown, index) => checkCall(call, index + 1))
}

function checkCall(call: unknown, number: number): CallInFile {
  const { name = `call ${number}`, request, assertions = [] } = isObject(call) ? call : {}
  if (!isObject(request) || !toRequest(request)) throw new SyntaxError(`Call ${number} has no request that can be sent`)
  const isValid = (one: unknown): boolean => isObject(one) && typeof one.pointer === 'string' && isCheck(one.check)
  if (!Array.isArray(assertions) || !assertions.every(isValid))
    throw new SyntaxError(
      `Call ${number} has an invalid assertion: each needs a pointer and a check, one of ${RESULT_CHECKS.join(', ')}`,
    )
  return { name: String(name), request, assertions: assertions as ResultCondition[] }
}

/** Returns the method and the params of a request in a file. */
function toRequest(request: JsonObject): { readonly method: string; readonly params: JsonObject } | undefined {
  const { type, name, uri, method, params = {}, arguments: args = {} } = request
  if (type === 'call-tool') return { method: 'tools/call', params: { name, arguments: args } }
  if (type === 'read-resource') return { method: 'resources/read', params: { uri } }
  if (type === 'get-prompt') return { method: 'prompts/get', params: { name, arguments: args } }
  if (type === 'discover') return { method: 'server/discover', params: {} }
  return type === 'request' && typeof method === 'string' && isObject(params) ? { method, params } : undefined
}

/** Runs the calls of a file, one after another. Calls tools. @throws the errors of a lost connection. */
export async function* runCallFile(calls: readonly CallInFile[], client: Client): AsyncGenerator<CallFileOutcome, void> {
  for (const { name, request, assertions } of calls) {
    const { method, params } = toRequest(request) ?? { method: '', params: {} }
    const result = await client.request(method, params).catch((error: unknown) => {
      if (error instanceof RpcError) return { error: error.body() }
      throw error
    })
    const isExpected = assertions.some(({ pointer }) => pointer.startsWith('/error'))
    const unexpected =
      'error' in result && !isExpected ? [`the server responded with an error: ${JSON.stringify(result.error)}`] : []
    const failures = [
      ...unexpected,
      ...assertions.flatMap((assertion) => checkCondition(assertion, result, MAX_SHOWN)?.message ?? []),
    ]
    yield { name, passed: failures.length === 0, failures }
  }
}
