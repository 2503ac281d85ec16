import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { formatBytes } from '../lib/format.ts'
import type { Option } from '../schema/field.ts'
import { equalJson, textOf } from '../schema/schema.ts'
import { jsonText, parseText } from '../schema/value.ts'
import type { InputProps } from './field-props.ts'
import { useInputProblem } from './form-checks.ts'
import { numberProblem, readNumber } from './input-values.ts'
import { SuggestingInput } from './suggesting-input.tsx'

/** Longer texts get several lines. */
const LONG = 80

/** Keyboards of touch screens by format. The type stays `text`, because browsers change what is typed into `email`, `url` and `date`. */
const INPUT_MODES: { [format: string]: 'email' | 'url' } = { email: 'email', uri: 'url' }

/** A text. */
export function TextInput(props: InputProps): JSX.Element | null {
  const { field, value, onChange, inputId, describedBy, invalid, context, path } = props
  if (field.kind !== 'text') return null
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  const shared = { id: inputId, 'aria-describedby': describedBy, 'aria-invalid': invalid, autocomplete: 'off', spellcheck: false }
  const example = field.default === undefined ? '' : String(field.default)
  if (field.long || text.length > LONG || text.includes('\n'))
    return (
      <textarea
        {...shared}
        rows={Math.min(12, Math.max(3, text.split('\n').length))}
        value={text}
        placeholder={example}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )
  const name = String(path.at(-1) ?? '')
  if (context.suggest || field.suggestions)
    return (
      <SuggestingInput
        {...shared}
        value={text}
        placeholder={example}
        onChange={onChange}
        name={name}
        suggest={context.suggest}
        fixed={field.suggestions ?? []}
      />
    )
  if (field.secret)
    return <input {...shared} type="password" value={text} onInput={(event) => onChange(event.currentTarget.value)} />
  return (
    <input
      {...shared}
      type="text"
      inputMode={INPUT_MODES[field.format ?? '']}
      value={text}
      placeholder={example}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  )
}

/** A number. What is no number yet stays in the input and out of the value. */
export function NumberInput(props: InputProps): JSX.Element | null {
  const { field, value, onChange, inputId, describedBy, invalid, context, path } = props
  const typed = useSignal(numberText(value))
  useEffect(() => {
    if (Number(typed.value) !== value || typed.value.trim() === '')
      typed.value = value === undefined && !isPartial(typed.value) ? '' : value === undefined ? typed.value : numberText(value)
  }, [value])
  useInputProblem(context.report, path, numberProblem(typed.value))
  const change = (text: string): void => {
    typed.value = text
    onChange(readNumber(text))
  }
  if (field.kind !== 'number') return null
  return (
    <input
      id={inputId}
      type="text"
      inputMode={field.integer ? 'numeric' : 'decimal'}
      autocomplete="off"
      class="number"
      aria-describedby={describedBy}
      aria-invalid={invalid}
      placeholder={field.default === undefined ? '' : String(field.default)}
      value={typed.value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  )
}

const numberText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'number' ? String(value) : JSON.stringify(value)
const isPartial = (text: string): boolean => text.trim() !== '' && readNumber(text) === undefined

/** True or false. */
export function BooleanInput({ value, onChange, inputId }: InputProps): JSX.Element {
  return (
    <span class="segments">
      {[true, false].map((option) => (
        <label key={String(option)} class="segment">
          <input type="radio" name={inputId} checked={value === option} onChange={() => onChange(option)} />
          <span>{String(option)}</span>
        </label>
      ))}
    </span>
  )
}

/** One of a list of values. */
export function ChoiceInput({ field, value, onChange, inputId, describedBy, invalid }: InputProps): JSX.Element | null {
  if (field.kind !== 'choice') return null
  const index = field.options.findIndex((option) => equalJson(option.value, value))
  const isOther = value !== undefined && index < 0
  return (
    <select
      id={inputId}
      aria-describedby={describedBy}
      aria-invalid={invalid}
      value={isOther ? 'other' : String(index)}
      onChange={(event) => onChange(field.options[Number(event.currentTarget.value)]?.value)}
    >
      <option value="-1">Not set</option>
      {isOther && <option value="other">{JSON.stringify(value)}</option>}
      {field.options.map((option, position) => (
        <option key={option.label} value={String(position)}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

/** Several of a list of values. The order is that of the list. */
export function ChoicesInput({ field, value, onChange }: InputProps): JSX.Element | null {
  if (field.kind !== 'choices') return null
  const chosen: unknown[] = Array.isArray(value) ? value : []
  const isChosen = (option: Option): boolean => chosen.some((item) => equalJson(item, option.value))
  const toggle = (option: Option): void =>
    onChange(field.options.filter((other) => isChosen(other) !== (other === option)).map((other) => other.value))
  return (
    <span class="checks">
      {field.options.map((option) => (
        <label key={option.label} class="check">
          <input type="checkbox" checked={isChosen(option)} onChange={() => toggle(option)} />
          <span>{option.label}</span>
        </label>
      ))}
    </span>
  )
}

/** A file, which is sent in base64. */
export function FileInput({ field, value, onChange, inputId, describedBy }: InputProps): JSX.Element | null {
  const name = useSignal('')
  if (field.kind !== 'file') return null
  const isDataUrl = textOf(field.schema, 'format') === 'data-url'
  const read = async (file: File | undefined): Promise<void> => {
    if (!file) return
    name.value = file.name
    const url = await dataUrlOf(file)
    onChange(isDataUrl ? url : url.slice(url.indexOf(',') + 1))
  }
  return (
    <span class="file-input">
      <input
        id={inputId}
        type="file"
        accept={field.mediaType}
        aria-describedby={describedBy}
        onChange={(event) => void read(event.currentTarget.files?.[0])}
      />
      {typeof value === 'string' && value !== '' && (
        <span class="muted">
          {name.value} {formatBytes(Math.floor((value.length * 3) / 4))}
        </span>
      )}
    </span>
  )
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read'))
    reader.readAsDataURL(file)
  })
}

/** Only null. */
export function NullInput({ onChange, value }: InputProps): JSX.Element {
  return value === null ? (
    <code>null</code>
  ) : (
    <button type="button" class="chip" onClick={() => onChange(null)}>
      null
    </button>
  )
}

/** Any JSON, as text. A text that is no JSON stays in the input and out of the value. */
export function AnyInput({ value, onChange, inputId, describedBy, invalid, context, path }: InputProps): JSX.Element {
  const text = useSignal(jsonText(value))
  const parsed = parseText(text.value)
  useEffect(() => {
    const current = parseText(text.value)
    if (!current.ok ? value !== undefined : !equalJson(current.value, value)) text.value = jsonText(value)
  }, [value])
  useInputProblem(context.report, path, parsed.ok ? undefined : { message: `is not JSON: ${parsed.message}`, isUnsent: true })
  const change = (next: string): void => {
    text.value = next
    const result = parseText(next)
    onChange(result.ok ? result.value : undefined)
  }
  return (
    <textarea
      id={inputId}
      class="mono"
      rows={Math.min(10, Math.max(2, text.value.split('\n').length))}
      spellcheck={false}
      aria-describedby={describedBy}
      aria-invalid={invalid}
      placeholder="JSON"
      value={text.value}
      onInput={(event) => change(event.currentTarget.value)}
    />
  )
}
