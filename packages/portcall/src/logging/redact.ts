import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { createMasker } from '../../../util/src/mask-secrets.ts'
import { normalizeName } from '../../../util/src/secret-names.ts'

/** Options of `redactSecrets`. */
export interface RedactionOptions {
  /** Further names of fields whose values are secrets. They are compared without case, dashes and underscores, and also as parts of names. */
  readonly fields?: readonly string[]
  /** Further patterns of secrets in text. They should take time that is linear in its length. */
  readonly patterns?: readonly RegExp[]
  /**
   * Length of a text, in characters. Longer text is cut before it is searched, and ends with the number of characters that are missing.
   * Default: 65,536.
   */
  readonly maxTextLength?: number
}

const MAX_TEXT_LENGTH = 65_536

const NAMES: OptionNames<RedactionOptions> = { fields: 'texts', patterns: 'array', maxTextLength: 1 }

/**
 * Creates a function that returns a JSON value without secrets: the values of fields such as `password` and `api_key`, and text that looks like
 * a key or a token, become `[redacted]`. It errs on the side of redacting too much.
 */
export function redactSecrets(options: RedactionOptions = {}): (value: unknown) => unknown {
  checkOptions('redactSecrets()', options, { names: NAMES })
  const { fields = [], patterns = [], maxTextLength = MAX_TEXT_LENGTH } = options
  const parts = fields.map(normalizeName).filter((part) => part !== '')
  const mask = createMasker({
    patterns: patterns.map(toGlobal),
    isSecretName: (name) => parts.length > 0 && includesPart(name, parts),
    maxTextLength,
  })
  return (value) => mask(value)
}

function includesPart(name: string, parts: readonly string[]): boolean {
  const plain = normalizeName(name)
  return parts.some((part) => plain.includes(part))
}

function toGlobal(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
}
