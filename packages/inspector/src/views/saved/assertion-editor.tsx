import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { jsonText, parseText } from '../../schema/value.ts'
import { run } from '../../state/actions.ts'
import type { CallAssertion, SavedCall } from '../../state/protocol.ts'
import { Button, IconButton } from '../../ui/basics.tsx'

const CHECKS: readonly CallAssertion['check'][] = ['equals', 'contains', 'matches', 'exists', 'absent', 'at-least', 'at-most']

/** Edits the conditions on the result of a saved call. Each change is saved at once. */
export function AssertionEditor({ call }: { call: SavedCall }): JSX.Element {
  /** Kept here, because the next change may come before `call` has the last one. */
  const assertions = useSignal(call.assertions)
  const save = (next: readonly CallAssertion[]): void => {
    assertions.value = next
    void run('save-call', { call: { ...call, assertions: next } })
  }
  const replace = (index: number, next: CallAssertion | undefined): void =>
    save(assertions.value.flatMap((assertion, at) => (at === index ? (next ? [next] : []) : [assertion])))
  return (
    <div class="stack tight">
      {assertions.value.map((assertion, index) => (
        <div key={index} class="assertion">
          <input
            class="mono"
            aria-label="JSON pointer"
            placeholder="/structuredContent/total"
            value={assertion.pointer}
            onChange={(event) => replace(index, { ...assertion, pointer: event.currentTarget.value })}
          />
          <select
            aria-label="Comparison"
            value={assertion.check}
            onChange={(event) =>
              replace(index, { ...assertion, check: CHECKS.find((check) => check === event.currentTarget.value) ?? 'equals' })
            }
          >
            {CHECKS.map((check) => (
              <option key={check} value={check}>
                {check.replace('-', ' ')}
              </option>
            ))}
          </select>
          <input
            class="mono"
            aria-label="Value as JSON"
            placeholder="JSON"
            disabled={assertion.check === 'exists' || assertion.check === 'absent'}
            value={jsonText(assertion.value)}
            onChange={(event) => replace(index, withValue(assertion, event.currentTarget.value))}
          />
          <IconButton icon="close" label="Remove the assertion" onClick={() => replace(index, undefined)} />
        </div>
      ))}
      <Button
        kind="quiet"
        icon="plus"
        class="field-add"
        onClick={() => save([...assertions.value, { pointer: '', check: 'exists' }])}
      >
        Add an assertion
      </Button>
    </div>
  )
}

/** A text that is no JSON is meant as a text. */
function withValue({ value: _, ...assertion }: CallAssertion, text: string): CallAssertion {
  const parsed = parseText(text)
  if (!parsed.ok) return { ...assertion, value: text }
  return parsed.value === undefined ? assertion : { ...assertion, value: parsed.value as NonNullable<CallAssertion['value']> }
}
