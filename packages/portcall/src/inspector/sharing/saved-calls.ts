import { isObject, type JsonValue } from '../../jsonrpc/message.ts'
import { isJsonEqual } from '../../util/json-equal.ts'
import { randomId } from '../../util/random.ts'
import type { CoreParts } from '../core-parts.ts'
import type { CallAssertion, OperationState, SavedCall, SavedCallOutcome } from '../protocol/operations.ts'
import type { ExportFile } from '../protocol/sharing.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { InspectorCommandError } from '../state/command-error.ts'

/** Calls that are kept in a file and can be run again. */
export interface SavedCalls {
  readonly all: readonly SavedCall[]
  save(call: Omit<SavedCall, 'id'> & { readonly id?: string }): string
  delete(id: string): void
  /** Runs calls against a server, one after another. Default: all that were saved for its name. */
  run(server: ManagedServer, ids: readonly string[] | undefined): Promise<readonly SavedCallOutcome[]>
  /** Returns the calls as a file. */
  export(ids: readonly string[] | undefined): ExportFile
}

const FILE = 'calls.json'
const TIMEOUT_MS = 600_000

/** Creates the saved calls of a back end, with those of earlier runs. */
export function createSavedCalls({ files, hub, operations }: CoreParts): SavedCalls {
  const stored = files.read(FILE, [])
  let calls: readonly SavedCall[] = Array.isArray(stored) ? (stored as SavedCall[]) : []
  const replace = (next: readonly SavedCall[]): void => {
    calls = next
    files.write(FILE, calls)
    hub.publish({ type: 'calls', calls })
  }
  return {
    get all() {
      return calls
    },
    save({ id = randomId(9), ...call }) {
      if (!Array.isArray(call.assertions) || !isObject(call.request))
        throw new InspectorCommandError('INVALID_PARAMS', 'A call needs a request and a list of assertions')
      replace([...calls.filter((other) => other.id !== id), { id, ...call }])
      return id
    },
    delete: (id) => replace(calls.filter((call) => call.id !== id)),
    async run(server, ids) {
      const wanted = calls.filter((call) => (ids ? ids.includes(call.id) : call.server === server.state.name))
      const outcomes: SavedCallOutcome[] = []
      for (const call of wanted) {
        const operationId = operations.start(server, call.request, call.options ?? {})
        outcomes.push(judge(call, await operations.wait(operationId, TIMEOUT_MS)))
      }
      return outcomes
    },
    export(ids) {
      const wanted = ids ? calls.filter(({ id }) => ids.includes(id)) : calls
      const text = `${JSON.stringify({ portcall: 'calls', version: 1, calls: wanted }, null, 2)}\n`
      return { fileName: 'calls.json', mimeType: 'application/json', text, messages: 0, redactions: [] }
    },
  }
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

/** Checks one assertion. Returns what is wrong, if anything is. */
export function checkAssertion(assertion: CallAssertion, result: JsonValue): SavedCallOutcome['failures'][number] | undefined {
  const found = valueAt(result, assertion.pointer)
  if (CHECKS[assertion.check](found, assertion.value)) return undefined
  const at = assertion.pointer === '' ? 'the result' : assertion.pointer
  const expected = assertion.value === undefined ? '' : ` ${JSON.stringify(assertion.value)}`
  const message = `${at} ${assertion.check}${expected}: found ${found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 500)}`
  return { assertion, ...(found !== undefined && { found }), message }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''))

const CHECKS: {
  readonly [Check in CallAssertion['check']]: (found: JsonValue | undefined, value: JsonValue | undefined) => boolean
} = {
  equals: (found, value) => isJsonEqual(found, value),
  contains: (found, value) =>
    Array.isArray(found) ? found.some((item) => isJsonEqual(item, value)) : textOf(found).includes(textOf(value)),
  matches: (found, value) => new RegExp(String(value), 'u').test(textOf(found)),
  exists: (found) => found !== undefined,
  absent: (found) => found === undefined,
  'at-most': (found, value) => typeof found === 'number' && typeof value === 'number' && found <= value,
  'at-least': (found, value) => typeof found === 'number' && typeof value === 'number' && found >= value,
}

/** Returns the value at a JSON pointer (RFC 6901). */
export function valueAt(value: JsonValue, pointer: string): JsonValue | undefined {
  let current: unknown = value
  for (const segment of pointer.split('/').slice(1)) {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined
    current = (current as Record<string, unknown>)[key]
  }
  return current as JsonValue | undefined
}
