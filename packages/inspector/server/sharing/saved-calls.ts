import { isObject, type JsonValue } from 'portcall/jsonrpc'
import { checkCondition } from '../../../portcall/src/diagnostics/compare/result-condition.ts'
import { randomId } from '../../../util/src/random.ts'
import type { CoreParts } from '../core-parts.ts'
import type { CallAssertion, OperationState, SavedCall, SavedCallOutcome } from '../protocol/operations.ts'
import type { ExportFile } from '../protocol/sharing.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { isSameTarget } from '../servers/server-list.ts'
import { InspectorCommandError } from '../state/command-error.ts'

/** Calls that are kept in a file and can be run again. */
export interface SavedCalls {
  readonly all: readonly SavedCall[]
  save(call: Omit<SavedCall, 'id'> & { readonly id?: string }): string
  delete(id: string): void
  /** Runs calls against a server, one after another. Default: those that were saved for it; if there are none, all. */
  run(server: ManagedServer, ids: readonly string[] | undefined): Promise<readonly SavedCallOutcome[]>
  /** Returns the calls as a file. */
  export(ids: readonly string[] | undefined): ExportFile
}

const FILE = 'calls.json'
const TIMEOUT_MS = 600_000
/** How much of a value a message shows. */
const MAX_SHOWN = 500

/** Creates the saved calls of a back end, with those of earlier runs. */
export function createSavedCalls({ files, hub, operations }: CoreParts): SavedCalls {
  const toCalls = (stored: unknown): readonly SavedCall[] => (Array.isArray(stored) ? (stored as SavedCall[]) : calls)
  let calls: readonly SavedCall[] = []
  calls = toCalls(files.read(FILE, []))
  const change = (id: string, added: readonly SavedCall[]): void => {
    calls = files.update(FILE, (stored) => [...toCalls(stored).filter((call) => call.id !== id), ...added])
    hub.publish({ type: 'calls', calls })
  }
  return {
    get all() {
      return calls
    },
    save({ id = randomId(9), ...call }) {
      if (!Array.isArray(call.assertions) || !isObject(call.request))
        throw new InspectorCommandError('INVALID_PARAMS', 'A call needs a request and a list of assertions')
      change(id, [{ id, ...call }])
      return id
    },
    delete: (id) => change(id, []),
    async run(server, ids) {
      const own = calls.filter((call) => isFor(server, call))
      const wanted = ids ? calls.filter(({ id }) => ids.includes(id)) : own.length > 0 ? own : calls
      const outcomes: SavedCallOutcome[] = []
      for (const call of wanted) {
        const operationId = operations.start(server, call.request, call.options ?? {})
        outcomes.push(judge(call, await operations.wait(operationId, TIMEOUT_MS)))
      }
      return outcomes
    },
    export(ids) {
      const exported = ids ? calls.filter(({ id }) => ids.includes(id)) : calls
      const wanted = exported.map(({ target: _target, ...call }) => call)
      const text = `${JSON.stringify({ portcall: 'calls', version: 1, calls: wanted }, null, 2)}\n`
      return { fileName: 'calls.json', mimeType: 'application/json', text, messages: 0, redactions: [] }
    },
  }
}

/** Reports whether a call was saved for a server. Its name alone does not say so: it is another one before the first connection. */
function isFor(server: ManagedServer, { target, server: name }: SavedCall): boolean {
  return target ? isSameTarget(target, server.target) : name === server.state.name
}

function judge(call: SavedCall, operation: OperationState): SavedCallOutcome {
  const base = { id: call.id, operationId: operation.id }
  if (operation.status !== 'done') {
    const message = operation.failure?.message ?? `The call ${operation.status}`
    const failures = [{ assertion: { pointer: '', check: 'exists' } as const, message }]
    return { ...base, passed: false, failures }
  }
  const failures = call.assertions.flatMap((assertion) => checkAssertion(assertion, operation.result as JsonValue) ?? [])
  return { ...base, passed: failures.length === 0, failures }
}

function checkAssertion(assertion: CallAssertion, result: JsonValue): SavedCallOutcome['failures'][number] | undefined {
  const unmet = checkCondition(assertion, result, MAX_SHOWN)
  if (!unmet) return undefined
  const { message, found } = unmet
  return { assertion, ...(found !== undefined && { found: found as JsonValue }), message }
}
