import type { JSX } from 'preact'
import { fieldOf, type ObjectField } from '../schema/field.ts'
import type { Problem } from '../schema/problems.ts'
import type { Schema } from '../schema/schema.ts'
import { isObject, type JsonObject } from '../schema/schema.ts'
import { ObjectInput } from './containers.tsx'
import type { FormContext } from './field-props.ts'
import { FieldView } from './field-view.tsx'
import { type FormChecks, placeOf } from './form-checks.ts'

interface FormProps {
  readonly schema: Schema
  /** The value. `undefined`: nothing is set. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** The name of the form in the ids of its inputs. */
  readonly id: string
  /** The problems of the value. */
  readonly checks: FormChecks
  /** Set for a form that stands for that of an end user, who knows no JSON. */
  readonly isPlain?: boolean
  /** Suggests values for a member, as completion does. */
  readonly suggest?: FormContext['suggest']
}

/** A form for a value that is described by a JSON Schema. What the schema does not require stays unset until someone sets it. */
export function SchemaForm({ schema, value, onChange, id, checks, isPlain = false, suggest }: FormProps): JSX.Element {
  const field = fieldOf(schema, schema)
  const { report, unsent, showMissing } = checks
  const problems = groupByPath(checks.problems.filter(({ isMissing }) => showMissing || !isMissing))
  const context: FormContext = { root: schema, FieldView, id, problems, unsent, report, isPlain, ...(suggest && { suggest }) }
  return (
    <div ref={checks.element}>
      {field.kind !== 'object' || (value !== undefined && !isObject(value)) ? (
        <FieldView context={context} schema={schema} path={[]} value={value} onChange={onChange} name="Value" required />
      ) : (
        <Members field={field} context={context} value={value ?? {}} onChange={onChange} />
      )}
    </div>
  )
}

interface MembersProps {
  readonly field: ObjectField
  readonly context: FormContext
  readonly value: JsonObject
  readonly onChange: (value: unknown) => void
}

function Members({ field, context, value, onChange }: MembersProps): JSX.Element {
  if (field.members.length === 0 && field.additional === undefined) return <p class="muted">It takes no arguments.</p>
  return (
    <div class="form">
      <ObjectInput field={field} context={context} path={[]} value={value} onChange={onChange} />
    </div>
  )
}

function groupByPath(problems: readonly Problem[]): ReadonlyMap<string, string> {
  const groups = new Map<string, string>()
  for (const { path, message } of problems) {
    const key = placeOf(path)
    groups.set(key, groups.has(key) ? `${groups.get(key)}; ${message}` : message)
  }
  return groups
}
