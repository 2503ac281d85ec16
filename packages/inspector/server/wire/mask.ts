import { isSecretName } from '../../../util/src/secret-names.ts'
import { BULLETS, replaceSecrets } from '../../../util/src/secrets.ts'

/** The text that the page sees in place of a secret. */
export const MASK: string = BULLETS

const MAX_EXCERPT_LENGTH = 4000

/** Masks the secrets of headers and of environment variables: by their names, and by their form. The scheme of credentials stays. */
export function maskValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return mapValues(values, (value, name) => {
    if (value === '') return value
    return isSecretName(name) ? schemeOf(value) + MASK : replaceSecrets(value, () => MASK, { random: false })
  })
}

/** Reports whether the value of a header or a variable is, or contains, a secret. */
export function isSecretValue(name: string, value: string): boolean {
  return isSecretName(name) || replaceSecrets(value, () => MASK, { random: false }) !== value
}

/** Returns the beginning of a form, a query or a body, with its secrets masked. */
export function maskExcerpt(text: string): string {
  return replaceSecrets(text.slice(0, MAX_EXCERPT_LENGTH), () => MASK, { random: false })
}

/** Returns new values, with the previous value wherever a new one is masked. */
export function unmask(
  values: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return mapValues(values, (value, name) => (value.includes(MASK) ? (previous[name] ?? '') : value))
}

/** Returns the scheme of credentials with the space behind it, such as `Bearer `, or an empty text. */
export function schemeOf(credentials: string): string {
  return /^(?:bearer|basic|dpop) /i.exec(credentials)?.[0] ?? ''
}

function mapValues(
  values: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
}

/** Masks the secrets that sign webhooks. Whoever knows one can send events. */
export function maskWebhookSecrets(text: string): string {
  return text.includes('whsec_') ? text.replaceAll(/whsec_[A-Za-z0-9+/]{16,}={0,2}/g, `whsec_${MASK}`) : text
}
