import type { ComponentType, JSX } from 'preact'
import { type Field, fieldOf } from '../schema/field.ts'
import { startingValue } from '../schema/value.ts'
import { Badge, Button } from '../ui/basics.tsx'
import { Icon } from '../ui/icon.tsx'
import { Untrusted } from '../ui/untrusted.tsx'
import { ArrayInput, ObjectInput, VariantsInput } from './containers.tsx'
import type { FieldProps, InputProps } from './field-props.ts'
import { placeOf } from './form-checks.ts'
import { isSelection } from './input-values.ts'
import { AnyInput, BooleanInput, ChoiceInput, ChoicesInput, FileInput, NullInput, NumberInput, TextInput } from './inputs.tsx'

/** The inputs by kind of field. Composite ones show their parts below each other. */
const INPUTS: { [Kind in Field['kind']]: ComponentType<InputProps> } = {
  text: TextInput,
  file: FileInput,
  number: NumberInput,
  boolean: BooleanInput,
  choice: ChoiceInput,
  choices: ChoicesInput,
  object: ObjectInput,
  array: ArrayInput,
  variants: VariantsInput,
  null: NullInput,
  any: AnyInput,
}

const COMPOSITE = new Set<Field['kind']>(['object', 'array', 'variants', 'choices', 'boolean'])

/** Simple inputs can be typed into while their value is unset. The others need a value first. */
const NEEDS_VALUE = new Set<Field['kind']>(['object', 'array', 'null'])

/** Encodes a step of a path so that ids have no spaces, and the ids of different paths differ. */
const idOf = (step: string | number): string => encodeURIComponent(step).replaceAll('-', '%2D')

/** One field of a form: its label, whether it is set, its input and what is wrong with it. */
export function FieldView({ context, schema, path, value, onChange, name, required, onRemove }: FieldProps): JSX.Element {
  const field = shownField(fieldOf(schema, context.root), value)
  const inputId = `${context.id}-${path.map(idOf).join('-')}`
  const problem = context.problems.get(placeOf(path))
  const isGroup = COMPOSITE.has(field.kind)
  const Input = INPUTS[field.kind]
  const start = (): void => onChange(startingValue(schema, context.root))
  const describedBy = `${inputId}:note`
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it has both or neither
    <div
      class={`field ${isGroup ? 'group' : ''}`}
      data-problem={problem === undefined ? undefined : ''}
      role={isGroup ? 'group' : undefined}
      aria-labelledby={isGroup ? `${inputId}:name` : undefined}
      aria-describedby={isGroup ? describedBy : undefined}
    >
      <FieldHead
        field={field}
        name={name}
        required={required}
        inputId={inputId}
        isGroup={isGroup}
        isPlain={context.isPlain}
        state={context.unsent.has(placeOf(path)) ? 'not sent' : stateLabel(value)}
      />
      <FieldActions
        field={field}
        name={name}
        value={value}
        isPlain={context.isPlain}
        onChange={onChange}
        onRemove={onRemove}
        start={start}
      />
      {value === null && field.kind !== 'null' ? null : value === undefined && NEEDS_VALUE.has(field.kind) ? (
        <Button icon="plus" kind="quiet" class="field-add" onClick={start}>
          Set {name}
        </Button>
      ) : (
        <Input
          context={context}
          field={field}
          path={path}
          value={value}
          onChange={onChange}
          inputId={inputId}
          describedBy={describedBy}
          invalid={problem !== undefined}
        />
      )}
      <FieldNote id={describedBy} field={field} problem={problem} value={value} />
    </div>
  )
}

/** Shows a list that is no selection, such as one with the same item twice, with an input for each item. */
function shownField(field: Field, value: unknown): Field {
  if (field.kind !== 'choices' || isSelection(field.options, value)) return field
  const { options: _, ...rest } = field
  return { ...rest, kind: 'array', prefix: [] }
}

interface HeadProps {
  readonly field: Field
  readonly name: string
  readonly required: boolean
  readonly inputId: string
  /** True if the field has several inputs, which the name is a heading of. */
  readonly isGroup: boolean
  readonly isPlain: boolean
  /** The state of the field, in words: set or not. */
  readonly state: string
}

function FieldHead({ field, name, required, inputId, isGroup, isPlain, state }: HeadProps): JSX.Element {
  const text = (
    <>
      <span id={`${inputId}:name`} class="field-name">
        <Untrusted text={field.title ?? name} />
      </span>
      {required && (
        <span class="required" title="Required">
          *<span class="visually-hidden"> required</span>
        </span>
      )}
      {!isPlain && field.title !== undefined && field.title !== name && (
        <span class="field-type mono">
          <Untrusted text={name} />
        </span>
      )}
      {!isPlain && <span class="field-type">{typeLabel(field)}</span>}
      {field.header !== undefined && <Badge title="Repeated in an HTTP header">Mcp-Param-{field.header}</Badge>}
      {field.deprecated && <Badge tone="warn">deprecated</Badge>}
      <span class="field-state">{isPlain && state !== 'not sent' ? '' : state}</span>
    </>
  )
  return isGroup ? (
    <div class="field-head">{text}</div>
  ) : (
    <label class="field-head" for={inputId}>
      {text}
    </label>
  )
}

function typeLabel(field: Field): string {
  const label =
    field.kind === 'number' && field.integer ? 'integer' : field.kind === 'text' ? (field.format ?? 'text') : field.kind
  return field.nullable ? `${label} or null` : label
}

const stateLabel = (value: unknown): string =>
  value === undefined ? 'not set' : value === null ? 'null' : value === '' ? 'empty text' : ''

interface ActionsProps {
  readonly field: Field
  readonly isPlain: boolean
  readonly name: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly onRemove: (() => void) | undefined
  readonly start: () => void
}

/** Makes a value null, unsets it, or removes the item. */
function FieldActions({ field, name, isPlain, value, onChange, onRemove, start }: ActionsProps): JSX.Element {
  return (
    <span class="field-actions">
      {!isPlain && field.nullable && field.kind !== 'null' && (
        <button
          type="button"
          class="chip"
          aria-pressed={value === null}
          aria-label={`${name}: null`}
          onClick={() => (value === null ? start() : onChange(null))}
        >
          null
        </button>
      )}
      {field.kind === 'text' && value === undefined && !isPlain && (
        <button
          type="button"
          class="chip"
          aria-label={`${name}: empty text`}
          title="Set it to a text without characters"
          onClick={() => onChange('')}
        >
          empty text
        </button>
      )}
      {(onRemove || value !== undefined) && (
        <button
          type="button"
          class="chip"
          aria-label={onRemove ? `Remove ${name}` : `Unset ${name}`}
          onClick={onRemove ?? (() => onChange(undefined))}
        >
          <Icon name="close" class="small" />
        </button>
      )}
    </span>
  )
}

function FieldNote({
  id,
  field,
  problem,
  value,
}: {
  id: string
  field: Field
  problem: string | undefined
  value: unknown
}): JSX.Element {
  const hasDefault = field.default !== undefined && value === undefined
  return (
    <div id={id} class="field-note">
      {problem && (
        <span class="field-problem">
          <Icon name="warning" class="small" />
          {problem}
        </span>
      )}
      {field.description && (
        <span>
          <Untrusted text={field.description} />
        </span>
      )}
      {hasDefault && (
        <span>
          Default: <code>{JSON.stringify(field.default)}</code>
        </span>
      )}
    </div>
  )
}
