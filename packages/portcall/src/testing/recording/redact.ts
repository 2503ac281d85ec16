import { isObject } from '../../jsonrpc/message.ts'
import { isSecretName, normalizeName, replaceSecrets } from './secrets.ts'

/** Returns a value with its secrets replaced by numbered placeholders. Equal secrets have the same number. */
export type Redact = (value: unknown) => unknown

/**
 * Creates a function that redacts the well-known secrets, and the values of the members in `names`: members whose name says that they are
 * secret, and text with the form of a key or a token, wherever it is.
 */
export function createRedactor(names: readonly string[] = []): Redact {
  const additional = new Set(names.map(normalizeName))
  const numbers = new Map<string, number>()

  const placeholder = (value: unknown): string => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    const number = numbers.get(text) ?? numbers.size + 1
    numbers.set(text, number)
    return `[redacted ${number}]`
  }
  const isSecret = (name: string, value: unknown): boolean =>
    value != null && !isObject(value) && typeof value !== 'boolean' && (isSecretName(name) || additional.has(normalizeName(name)))
  const redact = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return replaceSecrets(value, name, placeholder)
    if (Array.isArray(value)) return value.map((item) => redact(item, name))
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([key, member]) => [
      replaceSecrets(key, 'id', placeholder),
      isSecret(key, member) ? placeholder(member) : redact(member, key),
    ])
    return Object.fromEntries(entries) as unknown
  }
  return (value) => redact(value, '')
}
