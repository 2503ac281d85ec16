import { createMasker, createNumberedMask } from '../../../util/src/mask-secrets.ts'
import { normalizeName } from '../../../util/src/secret-names.ts'

/** Returns a value with its secrets replaced by numbered placeholders. Equal secrets have the same number. */
export type Redact = (value: unknown) => unknown

/** Members with values that are random by nature, and no secrets. */
const RANDOM_NAMES: ReadonlySet<string> = new Set([
  'data',
  'blob',
  'cursor',
  'nextcursor',
  'progresstoken',
  'taskid',
  'id',
  'uri',
])

/**
 * Creates a function that redacts the well-known secrets, and the values of the members in `names`: members whose name says that they are
 * secret, and text with the form of a key or a token, wherever it is.
 */
export function createRedactor(names: readonly string[] = []): Redact {
  const additional = new Set(names.map(normalizeName))
  const mask = createMasker({
    mask: createNumberedMask().mask,
    isSecretName: (name) => additional.size > 0 && additional.has(normalizeName(name)),
    isRandomName: (name) => RANDOM_NAMES.has(name),
    keepsObjects: true,
  })
  return (value) => mask(value)
}
