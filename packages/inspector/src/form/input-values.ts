/** The values of inputs: what texts are sent as, and what checkboxes can show. */
import type { Option } from '../schema/field.ts'
import { equalJson } from '../schema/schema.ts'
import type { InputProblem } from './form-checks.ts'

/** A number as people write it: no hexadecimal digits and no separators, which would be sent as something else than they look like. */
const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i

/** Returns the number that a text is sent as, if it is one. */
export function readNumber(text: string): number | undefined {
  const number = NUMBER.test(text.trim()) ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

/** Returns what is wrong with the text of a number. */
export function numberProblem(text: string): InputProblem | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  const number = readNumber(typed)
  if (number === undefined) return { message: `${typed.slice(0, 40)} is not a number`, isUnsent: true }
  if (!/^[-+]?\d+$/.test(typed) || Number.isSafeInteger(number)) return undefined
  return { message: `${typed} cannot be sent exactly: it becomes ${number}`, isUnsent: false }
}

/** Reports whether checkboxes can show a value: each of its items is one of the options, once. */
export function isSelection(options: readonly Option[], value: unknown): boolean {
  if (value === undefined) return true
  if (!Array.isArray(value)) return false
  return (
    options.every((option) => value.filter((item) => equalJson(item, option.value)).length <= 1) &&
    value.every((item) => options.some((option) => equalJson(option.value, item)))
  )
}
