/** Values of results, as people read them. */
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ShownValue, ValueKind } from './spec.ts'

/** Returns a title for a key: `unit_price` and `unitPrice` become `Unit price`. */
export function titleOf(key: string): string {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]/g, ' ')
    .trim()
    .toLowerCase()
  return words === '' ? key : words.charAt(0).toUpperCase() + words.slice(1)
}

const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/
const LINK = /^https?:\/\//i

/** Returns the kind of the values of a key, by the first one. */
export function kindOf(key: string, rows: readonly JsonObject[]): ValueKind {
  const value = rows.find((row) => row[key] !== undefined && row[key] !== null)?.[key]
  if (typeof value === 'number') return 'number'
  if (typeof value !== 'string') return 'text'
  return DATE.test(value) ? 'date' : LINK.test(value) ? 'link' : 'text'
}

/** Returns a value as text, in a language. */
export function textOfValue(value: unknown, { kind, digits, unit }: Partial<ShownValue>, locale?: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return numberText(value, { digits, unit }, locale)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'string') return kind === 'date' ? dateText(value, locale) : value
  if (Array.isArray(value)) return value.map((one) => textOfValue(one, {}, locale)).join(', ')
  return JSON.stringify(value)
}

function numberText(
  value: number,
  { digits, unit }: { digits?: number | undefined; unit?: string | undefined },
  locale?: string,
): string {
  const text = value.toLocaleString(
    locale,
    digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits },
  )
  return unit === undefined ? text : `${text} ${unit}`
}

function dateText(text: string, locale?: string): string {
  const date = new Date(text)
  if (!DATE.test(text) || Number.isNaN(date.getTime())) return text
  return text.length > 'yyyy-mm-dd'.length
    ? date.toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })
    : date.toLocaleDateString(locale, { dateStyle: 'medium', timeZone: 'UTC' })
}

/** Returns the data of a result as an object. @throws TypeError if it is none. */
export function dataOf(data: unknown): JsonObject {
  if (isObject(data)) return data
  throw new TypeError('The result has no structured content')
}

/** Returns the rows in the data of a result: those of a key, or the first list of objects. @throws TypeError if there are none. */
export function rowsOf(data: unknown, key?: string): readonly JsonObject[] {
  const object = dataOf(data)
  const isRows = (value: unknown): value is JsonObject[] => Array.isArray(value) && value.every(isObject)
  const rows = key === undefined ? Object.values(object).find(isRows) : object[key]
  if (isRows(rows)) return rows
  throw new TypeError(
    key === undefined
      ? 'The result contains no list of objects'
      : `${JSON.stringify(key)} of the result is not a list of objects`,
  )
}
