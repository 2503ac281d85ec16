/** A field of a form: its control, what it contains, and what is wrong with it. */
import type { FieldSpec, OptionSpec } from '../spec.ts'
import { h, newId } from './dom.ts'

/** A field on the page. */
export interface Field {
  readonly spec: FieldSpec
  readonly element: HTMLElement
  /** Returns the value as the tool takes it; `undefined` if the field is empty. */
  read(): unknown
  /** Checks the field, shows what is wrong, and returns true if nothing is. */
  check(): boolean
  focus(): void
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

interface Reader {
  readonly control: Control
  read(): unknown
}

const INPUT_TYPES: { readonly [type in FieldSpec['type']]?: string } = {
  email: 'email',
  url: 'url',
  date: 'date',
  datetime: 'datetime-local',
  time: 'time',
}

/** Creates a field with a value to start with. */
export function createField(spec: FieldSpec, value: unknown): Field {
  return spec.type === 'choices' ? createChecks(spec, value) : createSingle(spec, value)
}

function createSingle(spec: FieldSpec, value: unknown): Field {
  const { control, read } = createControl(spec, value)
  const [id, helpId, faultId] = [newId(), newId(), newId()]
  const fault = h('p', { id: faultId, class: 'fault' })
  control.id = id
  control.setAttribute('aria-describedby', [spec.help === undefined ? '' : helpId, faultId].filter(Boolean).join(' '))
  const check = (): boolean => {
    const text = faultOf(control, spec)
    fault.textContent = text
    control.ariaInvalid = text === '' ? null : 'true'
    return text === ''
  }
  // A text that appears when a field is left would move the button that a person is about to press.
  control.addEventListener('input', () => void (fault.textContent && check()))
  const help = spec.help !== undefined && h('p', { id: helpId, class: 'help' }, spec.help)
  const isWide = spec.type === 'flag' || control instanceof HTMLTextAreaElement
  const look = { class: isWide ? 'field wide' : 'field' }
  const element =
    spec.type === 'flag'
      ? h('div', look, h('label', { class: 'flag' }, control, h('span', {}, spec.title)), help, fault)
      : h('div', look, h('label', { for: id }, spec.title, optionalMark(spec)), control, help, fault)
  return { spec, element, read, check, focus: () => control.focus() }
}

const optionalMark = ({ required, default: usual }: FieldSpec): HTMLElement | undefined =>
  required || usual !== undefined ? undefined : h('span', { class: 'optional' }, ' (optional)')

/** Several answers, each with a box. */
function createChecks(spec: FieldSpec, value: unknown): Field {
  const chosen = Array.isArray(value) ? value : []
  const options = spec.options ?? []
  const boxes = options.map((option) => h('input', { type: 'checkbox', checked: chosen.includes(option.value) }))
  const fault = h('p', { class: 'fault' })
  const read = (): unknown => {
    const values = options.filter((_, index) => boxes[index]?.checked).map((option) => option.value)
    return values.length > 0 || spec.required ? values : undefined
  }
  const check = (): boolean => {
    fault.textContent = spec.required && (read() as unknown[]).length === 0 ? 'Choose at least one' : ''
    return fault.textContent === ''
  }
  const element = h(
    'fieldset',
    { class: 'field wide' },
    h('legend', {}, spec.title, optionalMark(spec)),
    h(
      'div',
      { class: 'flags' },
      ...options.map(({ title }, index) => h('label', { class: 'flag' }, boxes[index], h('span', {}, title))),
    ),
    spec.help !== undefined && h('p', { class: 'help' }, spec.help),
    fault,
  )
  element.addEventListener('change', () => void (fault.textContent && check()))
  return { spec, element, read, check, focus: () => boxes[0]?.focus() }
}

function createControl(spec: FieldSpec, value: unknown): Reader {
  if (spec.type === 'flag') return createFlag(value)
  if (spec.type === 'choice') return createSelect(spec, value)
  if (spec.type === 'number') return createNumber(spec, value)
  return createText(spec, value)
}

function createFlag(value: unknown): Reader {
  const control = h('input', { type: 'checkbox', checked: value === true })
  return { control, read: () => control.checked }
}

function createSelect({ options = [], required, default: usual }: FieldSpec, value: unknown): Reader {
  const isKnown = options.some((option) => option.value === value)
  const empty = isKnown && (required || usual !== undefined) ? [] : [h('option', { value: '' }, required ? 'Choose …' : '–')]
  const toElement = (option: OptionSpec, index: number): HTMLElement =>
    h('option', { value: index, selected: option.value === value }, option.title)
  const control = h('select', { required }, ...empty, ...options.map(toElement))
  return { control, read: () => (control.value === '' ? undefined : options[Number(control.value)]?.value) }
}

function createNumber({ integer, step, min, max, required, placeholder }: FieldSpec, value: unknown): Reader {
  const type = { type: 'number', inputmode: integer ? 'numeric' : 'decimal', step: step ?? (integer ? 1 : 'any') }
  const control = h('input', { ...type, min, max, required, placeholder, value: typeof value === 'number' ? value : undefined })
  return { control, read: () => (control.value === '' ? undefined : control.valueAsNumber) }
}

function createText(spec: FieldSpec, value: unknown): Reader {
  const { type, required, placeholder, minLength, maxLength } = spec
  const isList = type === 'list'
  const text = isList && Array.isArray(value) ? value.join('\n') : value === undefined || value === null ? '' : String(value)
  const props = { required, placeholder, minlength: minLength, maxlength: maxLength }
  const control =
    type === 'lines' || isList
      ? h('textarea', { ...props, rows: 3 })
      : h('input', { ...props, type: INPUT_TYPES[type] ?? 'text' })
  control.value = type === 'datetime' ? localTime(text) : text
  const read = (): unknown => {
    if (isList)
      return control.value
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean)
    if (control.value === '') return undefined
    return type === 'datetime' ? new Date(control.value).toISOString() : control.value
  }
  return { control, read }
}

/** Returns a point of time as the control for it takes it. */
function localTime(text: string): string {
  const date = new Date(text)
  if (text === '' || Number.isNaN(date.getTime())) return ''
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)
}

/** Returns what is wrong with a control, in the words of the browser. */
function faultOf(control: Control, { pattern, minLength }: FieldSpec): string {
  if (!control.validity.valid) return control.validationMessage
  // Browsers check the length only of what was typed.
  if (minLength !== undefined && control.value !== '' && control.value.length < minLength)
    return `At least ${minLength} characters`
  return control.value !== '' && !matches(control.value, pattern) ? 'This has not the expected form' : ''
}

function matches(text: string, pattern: string | undefined): boolean {
  if (pattern === undefined) return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    // The server checks it in any case.
    return true
  }
}
