/** Replaces the secrets in values, by a constant text or by text with a number. */
import { setLru } from './lru.ts'
import { endOfPart, noteRest } from './printable.ts'
import { isSecretName, normalizeName } from './secret-names.ts'
import { replaceSecrets, type SecretOptions } from './secrets.ts'

/** Stands for a secret without a number. */
export const REDACTED = '[redacted]'

/** Options of `createMasker`. */
export interface MaskerOptions extends Omit<SecretOptions, 'random'> {
  /** Returns the text that stands for a secret. Default: `[redacted]`. */
  readonly mask?: (secret: string) => string
  /** Reports whether the text of a member is random by nature, and no secret. Default: no member's. */
  readonly isRandomName?: (name: string) => boolean
  /** Keeps an object with a secret name readable, except for the secrets in it. Default: false. */
  readonly keepsObjects?: boolean
  /** Length of a text, in characters. Longer text is cut before it is searched, and says so. Default: no limit. */
  readonly maxTextLength?: number
}

/** Returns a JSON value without secrets. `name` is that of the member that holds it. */
export type Masker = (value: unknown, name?: string) => unknown

interface Place {
  readonly name: string
  readonly depth: number
  readonly isSecret: boolean
}

const MAX_DEPTH = 100
const MAX_REMEMBERED = 1000
const MAX_REMEMBERED_LENGTH = 200
const MAX_NUMBERED = 10_000
const MAX_KEY_LENGTH = 512
const SCHEMA_MEMBERS = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'description']

/**
 * Creates a function that replaces the secrets in a JSON value: all texts and numbers below members whose names say that they are secret,
 * and text that looks like a key or a token. The properties of JSON Schemas are not secrets.
 */
export function createMasker(options: MaskerOptions = {}): Masker {
  const { mask = () => REDACTED, isRandomName, keepsObjects = false, maxTextLength = Number.POSITIVE_INFINITY } = options
  /** Short texts without secrets, because names and messages come again and again. */
  const harmless = new Map<string, true>()
  const maskText = (text: string, random: boolean): string => {
    if (harmless.has(text)) return text
    const end = endOfPart(text, maxTextLength)
    const masked = replaceSecrets(text.slice(0, end), mask, { ...options, random }) + noteRest(text.length - end)
    if (random && masked === text && text.length <= MAX_REMEMBERED_LENGTH) setLru(harmless, [text, true], MAX_REMEMBERED)
    return masked
  }
  const isSecretMember = (name: string, value: unknown, parent: string): boolean =>
    (isSecretName(name) || options.isSecretName?.(name) === true) && !isSchemaProperty(value, parent)
  const walkObject = (value: object, { name, depth, isSecret }: Place): unknown => {
    const isSecretObject = isSecret && !keepsObjects
    const entries = Object.entries(value).filter(([, member]) => member !== undefined)
    return Object.fromEntries(
      entries.map(([key, member]) => [
        maskText(key, isRandomName === undefined),
        walk(member, { name: key, depth: depth - 1, isSecret: isSecretObject || isSecretMember(key, member, name) }),
      ]),
    )
  }
  const walk = (value: unknown, place: Place): unknown => {
    const { name, depth, isSecret } = place
    if (typeof value === 'string')
      return isSecret && value !== '' ? mask(value) : maskText(value, isRandomName?.(normalizeName(name)) !== true)
    if (typeof value === 'number' || typeof value === 'bigint') return isSecret && !isCount(name) ? mask(String(value)) : value
    if (typeof value !== 'object' || value === null) return value
    if (depth === 0) return REDACTED
    return Array.isArray(value) ? value.map((item) => walk(item, { ...place, depth: depth - 1 })) : walkObject(value, place)
  }
  return (value, name = '') => walk(value, { name, depth: MAX_DEPTH, isSecret: name !== '' && isSecretMember(name, value, '') })
}

/** Texts that stand for secrets, with a number. Equal secrets have equal numbers. */
export interface NumberedMask {
  mask(secret: string): string
  clear(): void
}

/** Creates texts with numbers. Of many secrets, only the last have a known number. */
export function createNumberedMask(format: (number: number) => string = (number) => `[redacted ${number}]`): NumberedMask {
  const numbers = new Map<string, number>()
  let count = 0
  return {
    mask(secret) {
      const half = MAX_KEY_LENGTH / 2
      const key = secret.length > MAX_KEY_LENGTH ? `${secret.length} ${secret.slice(0, half)}${secret.slice(-half)}` : secret
      const number = numbers.get(key) ?? ++count
      setLru(numbers, [key, number], MAX_NUMBERED)
      return format(number)
    },
    clear() {
      numbers.clear()
      count = 0
    },
  }
}

function isSchemaProperty(value: unknown, parent: string): boolean {
  if (parent !== 'properties' && parent !== 'patternProperties') return false
  return typeof value === 'object' && value !== null && SCHEMA_MEMBERS.some((member) => Object.hasOwn(value, member))
}

/** Reports whether a number with this name counts things, such as tokens. */
function isCount(name: string): boolean {
  return /(?:token|cookie|credential|secret|password|key)s/.test(normalizeName(name.slice(-256)))
}
