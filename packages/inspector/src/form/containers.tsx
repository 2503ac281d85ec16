import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ObjectField } from '../schema/field.ts'
import { isObject, type JsonObject, type Schema } from '../schema/schema.ts'
import { startingValue, variantOf, withRenamedMember, withValueAt } from '../schema/value.ts'
import { Button } from '../ui/basics.tsx'
import type { FormContext, InputProps } from './field-props.ts'

type ObjectProps = Pick<InputProps, 'context' | 'field' | 'path' | 'value' | 'onChange'>

/** The members of an object, and inputs for further ones where the schema allows them. */
export function ObjectInput({ context, field, path, value, onChange }: ObjectProps): JSX.Element | null {
  if (field.kind !== 'object') return null
  const object = isObject(value) ? value : {}
  const set = (name: string, member: unknown): void => onChange(withValueAt(object, [name], member))
  return (
    <div class="members">
      {field.members.map(({ name, schema, required }) => (
        <context.FieldView
          key={name}
          context={context}
          schema={schema}
          path={[...path, name]}
          name={name}
          required={required}
          value={Object.hasOwn(object, name) ? object[name] : undefined}
          onChange={(member) => set(name, member)}
        />
      ))}
      <OtherMembers field={field} context={context} path={path} object={object} onChange={onChange} />
    </div>
  )
}

interface OtherMembersProps {
  readonly field: ObjectField
  readonly context: FormContext
  readonly path: InputProps['path']
  readonly object: JsonObject
  readonly onChange: (value: unknown) => void
}

/** Members that the schema does not list. Those that are there are always shown, so that nothing is sent unseen. */
function OtherMembers({ field, context, path, object, onChange }: OtherMembersProps): JSX.Element | null {
  const listed = new Set(field.members.map(({ name }) => name))
  const others = Object.keys(object).filter((name) => !listed.has(name))
  const schema: Schema = field.additional ?? true
  if (others.length === 0 && field.additional === undefined) return null
  return (
    <>
      {others.map((name) => (
        <div key={name} class="other-member">
          <input
            class="mono"
            aria-label={`Name of the member ${name}`}
            value={name}
            onChange={(event) => onChange(withRenamedMember(object, name, event.currentTarget.value))}
          />
          <context.FieldView
            context={context}
            schema={schema}
            path={[...path, name]}
            name={name}
            required={false}
            value={object[name]}
            onChange={(member) => onChange(withValueAt(object, [name], member))}
            onRemove={() => onChange(withValueAt(object, [name], undefined))}
          />
        </div>
      ))}
      {field.additional !== undefined && (
        <Button
          icon="plus"
          kind="quiet"
          class="field-add"
          onClick={() => onChange({ ...object, [freeName(object)]: startingValue(schema, context.root) })}
        >
          Add a member
        </Button>
      )}
    </>
  )
}

function freeName(object: JsonObject): string {
  let count = 1
  while (Object.hasOwn(object, `member${count}`)) count++
  return `member${count}`
}

/** The items of an array. */
export function ArrayInput({ context, field, path, value, onChange }: InputProps): JSX.Element | null {
  if (field.kind !== 'array') return null
  const items: unknown[] = Array.isArray(value) ? value : []
  const next = field.prefix[items.length] ?? field.items
  const schemaOf = (index: number): Schema => field.prefix[index] ?? field.items ?? true
  return (
    <div class="items">
      {items.map((item, index) => (
        <context.FieldView
          key={index}
          context={context}
          schema={schemaOf(index)}
          path={[...path, index]}
          name={`${index + 1}`}
          required={false}
          value={item}
          onChange={(changed) => onChange(items.map((old, at) => (at === index ? (changed ?? null) : old)))}
          onRemove={() => onChange(items.filter((_, at) => at !== index))}
        />
      ))}
      {next !== undefined && (
        <Button
          icon="plus"
          kind="quiet"
          class="field-add"
          onClick={() => onChange([...items, startingValue(next, context.root)])}
        >
          Add an item
        </Button>
      )}
    </div>
  )
}

/** A value of one of several shapes. */
export function VariantsInput({ context, field, path, value, onChange, inputId }: InputProps): JSX.Element | null {
  const chosen = useSignal(-1)
  if (field.kind !== 'variants') return null
  const fitting = value === undefined ? -1 : variantOf(field.variants, value, context.root)
  const index = chosen.value >= 0 && fitting >= 0 ? chosen.value : fitting
  const variant = field.variants[index]
  const choose = (next: number): void => {
    chosen.value = next
    const schema = field.variants[next]?.schema
    onChange(schema === undefined ? undefined : startingValue(schema, context.root))
  }
  return (
    <div class="variant">
      <select aria-label="Shape" value={String(index)} onChange={(event) => choose(Number(event.currentTarget.value))}>
        <option value="-1">{value === undefined ? 'Not set' : 'Another shape'}</option>
        {field.variants.map(({ label }, position) => (
          <option key={position} value={String(position)}>
            {label}
          </option>
        ))}
      </select>
      {variant && (
        <context.FieldView
          key={`${inputId}-${index}`}
          context={{ ...context, id: `${context.id}v` }}
          schema={variant.schema}
          path={path}
          name={variant.label}
          required={false}
          value={value}
          onChange={onChange}
        />
      )}
    </div>
  )
}
