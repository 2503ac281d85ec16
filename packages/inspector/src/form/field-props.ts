import type { ComponentType } from 'preact'
import type { Field } from '../schema/field.ts'
import type { Schema } from '../schema/schema.ts'
import type { Path } from '../schema/value.ts'
import type { FormChecks } from './form-checks.ts'

/** The state that all fields of a form share. */
export interface FormContext {
  /** The document that references point into. */
  readonly root: Schema
  /** Shows a field. Inputs with fields of their own call it: they cannot import the file that imports them. */
  readonly FieldView: ComponentType<FieldProps>
  /** The name of the form in the ids of its inputs. */
  readonly id: string
  /** The problems of values, by the path as JSON. */
  readonly problems: ReadonlyMap<string, string>
  /** The places whose inputs hold a text that is not a part of the value. */
  readonly unsent: ReadonlySet<string>
  /** Sets what is wrong with the text of an input. */
  readonly report: FormChecks['report']
  /** Set for a form that stands for that of an end user, who knows no JSON. */
  readonly isPlain: boolean
  /** Returns suggestions for a member. */
  readonly suggest?: (name: string, value: string, signal: AbortSignal) => Promise<readonly string[]>
}

/** The props of the inputs: a field, its place, and its value. */
export interface InputProps {
  readonly context: FormContext
  readonly field: Field
  readonly path: Path
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** The id of the input, which its label points to. */
  readonly inputId: string
  /** The id of the text that describes the input. */
  readonly describedBy: string
  /** True if the value breaks its schema. */
  readonly invalid: boolean
}

/** The props of a field, whatever its kind. */
export interface FieldProps {
  readonly context: FormContext
  readonly schema: Schema
  readonly path: Path
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly name: string
  readonly required: boolean
  /** Removes the item or the member, where unsetting it is not enough. */
  readonly onRemove?: () => void
}
