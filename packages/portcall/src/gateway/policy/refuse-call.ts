import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { GatewayCall, PolicyDecision } from './types.ts'

/** Answers a call that the caller may know of, but not make. */
export function refuseCall({ method }: GatewayCall, text: string): PolicyDecision {
  if (method !== 'tools/call') return { error: new RpcError(ErrorCode.invalidParams, text) }
  return { result: { content: [{ type: 'text', text }], isError: true } satisfies JsonObject }
}
