/** Headers whose values are secrets. */
const SECRET_HEADERS =
  /^(authorization|proxy-authorization|cookie|set-cookie|dpop|mcp-session-id|x-api-key|.*(token|secret|password|api-?key).*)$/i
const SECRET_NAMES = /token|secret|passw|api_?key|credential|auth|private|session|cookie/i

/** What the page sees in place of a secret. */
export const MASK = '••••'

/** Reports whether the value of a header is a secret. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADERS.test(name)
}

/** Reports whether the value of an environment variable is likely to be a secret. */
export function isSecretVariable(name: string): boolean {
  return SECRET_NAMES.test(name)
}

/** Masks the secrets of headers. The scheme of an `Authorization` header stays. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return mapValues(headers, (value, name) => (isSecretHeader(name) ? maskCredentials(value) : value))
}

/** Masks variables whose names look like secrets. */
export function maskVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  return mapValues(variables, (value, name) => (isSecretVariable(name) && value !== '' ? MASK : value))
}

/** Returns new values, with the previous value wherever a new one is masked. */
export function unmask(
  values: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return mapValues(values, (value, name) => (value.includes(MASK) ? (previous[name] ?? '') : value))
}

function maskCredentials(value: string): string {
  const [scheme, rest] = value.split(' ', 2)
  return rest !== undefined && /^(bearer|basic|dpop)$/i.test(scheme ?? '') ? `${scheme} ${MASK}` : MASK
}

function mapValues(
  values: Readonly<Record<string, string>>,
  map: (value: string, name: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]))
}
