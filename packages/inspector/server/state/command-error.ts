import type { ProcessExit } from 'portcall/client'
import { describeExit } from '../../../portcall/src/jsonrpc/errors.ts'
import { explainFor } from '../../../util/src/advice.ts'
import { PortcallError } from '../../../util/src/errors.ts'
import type { InspectorFailure } from '../protocol/servers.ts'

/** Thrown by a command of the inspector that cannot be carried out. The page shows its message. */
export class InspectorCommandError extends PortcallError {
  override readonly name = 'InspectorCommandError'
  readonly code: string
  readonly hint: string | undefined

  constructor(code: string, message: string, hint?: string) {
    super(message)
    this.code = code
    this.hint = hint
  }
}

/** Describes an error for the page. */
export function toFailure(error: unknown): InspectorFailure {
  if (!(error instanceof Error)) return { code: 'FAILED', message: String(error) }
  const facts = error as { code?: unknown; hint?: unknown; data?: unknown; status?: unknown; exit?: unknown; body?: unknown }
  const isRpc = typeof facts.code === 'number'
  const code = isRpc ? `RPC_${facts.code}` : typeof facts.code === 'string' ? facts.code : 'FAILED'
  const explained = explainFor(error, 'page')
  const hint = typeof facts.hint === 'string' ? facts.hint : explained.hint
  const data = facts.data ?? printed(facts.exit) ?? (facts.body === '' ? undefined : facts.body)
  return {
    code,
    message: exitText(facts.exit) ?? explained.message,
    ...(hint !== undefined && { hint }),
    ...(data !== undefined && { data }),
    ...(typeof facts.status === 'number' && { httpStatus: facts.status }),
    ...(isRpc && { rpcCode: facts.code as number }),
  }
}

/** Returns the output of a program that has ended. */
function printed(exit: unknown): unknown {
  const { stderr = '' } = (exit ?? {}) as Partial<ProcessExit>
  return stderr.trim() === '' ? exit : stderr.trimEnd()
}

/** Describes the end of a program without its command and its output, which the page shows next to the message. */
function exitText(exit: unknown): string | undefined {
  const { summary, strayOutput, stderr = '' } = (exit ?? {}) as Partial<ProcessExit>
  if (summary === undefined || stderr.trim() === '') return undefined
  return `The program ${describeExit({ summary, ...(strayOutput !== undefined && { strayOutput }) })}`
}
