/**
 * Reads members of documents that other parties wrote. A member with a wrong type counts as absent, so that a slip in an optional member costs no
 * more than this member.
 */
import { isStrings } from '../../../util/src/strings.ts'

/** Returns a text that is not blank, without the space around it. */
export function readText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' ? undefined : text
}

/** Returns a finite number, also one that was sent as text. */
export function readNumber(value: unknown): number | undefined {
  const text = readText(value)
  const number = text === undefined ? value : Number(text)
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Returns a number of seconds that are left, such as a lifetime. Some servers write -1 for ever. */
export function readSeconds(value: unknown): number | undefined {
  const number = readNumber(value)
  return number !== undefined && number >= 0 ? number : undefined
}

/** Returns an identifier: a text, or a number that is exact. Two larger numbers could be read as the same one. */
export function readId(value: unknown): string | undefined {
  return Number.isSafeInteger(value) ? String(value) : readText(value)
}

/** Returns the texts of a list, or of one text in which they are separated by spaces. Members of the list that are null are removed. */
export function readList(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return readText(value)?.split(/\s+/)
  const texts = value.filter((one) => one !== null)
  return isStrings(texts) ? texts : undefined
}

/** Returns scopes, separated by spaces. Some servers send a list. */
export function readScopeMember(value: unknown): string | undefined {
  return readText((readList(value) ?? []).join(' ').replace(/\s+/g, ' '))
}

/** Returns a boolean, also one that was sent as text. */
export function readFlag(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  return value === 'true' ? true : value === 'false' ? false : undefined
}
