import type { Signal } from '@preact/signals'
import type { JSX } from 'preact'
import { SchemaForm } from '../../form/form.tsx'
import { useFormChecks } from '../../form/form-checks.ts'
import { problemsOf } from '../../schema/problems.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { complete, type Reference } from '../../state/complete.ts'

interface TextFormProps {
  readonly id: string
  /** The schema of an object whose members are texts. */
  readonly schema: JsonObject
  readonly values: Signal<Readonly<Record<string, string>>>
  readonly serverId: string
  /** The reference that the server completes. */
  readonly reference: Reference
}

/** A form for texts, which the server completes as they are typed. */
export function TextForm({ id, schema, values, serverId, reference }: TextFormProps): JSX.Element {
  const checks = useFormChecks(problemsOf(values.value, schema))
  return (
    <SchemaForm
      id={id}
      checks={checks}
      schema={schema}
      value={values.value}
      onChange={(next) => {
        values.value = textsOf(next)
      }}
      suggest={(name, value, signal) =>
        complete(serverId, { ref: reference, name, value, context: others(values.value, name) }, signal)
      }
    />
  )
}

/** Returns the members of a form's value that are texts. */
function textsOf(value: unknown): Record<string, string> {
  const entries = isObject(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

/** Returns the other arguments that are filled in, which completion may depend on. */
function others(values: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([key, value]) => key !== name && value !== ''))
}
