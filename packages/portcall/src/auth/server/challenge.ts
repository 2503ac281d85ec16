/** The parameters of a challenge, in order. Those that are `undefined` are omitted. */
export type ChallengeParameters = Readonly<Record<string, string | undefined>>

/** The characters of a scope (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/
/** Characters that are replaced in parameters: an `error_description` has neither quotes nor backslashes (RFC 6750, section 3). */
const UNSAFE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/** Reports whether a text is a valid scope. */
export function isScope(text: string): boolean {
  return SCOPE.test(text)
}

/**
 * Joins lists of scopes for the `scope` parameter of a challenge, without duplicates. Omits invalid scopes, and `offline_access`, which
 * concerns authorization servers only.
 */
export function challengeScope(...scopes: readonly (readonly string[])[]): string | undefined {
  const all = new Set(scopes.flat().filter((scope) => isScope(scope) && scope !== 'offline_access'))
  return all.size > 0 ? [...all].join(' ') : undefined
}

/** Formats one challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). Replaces characters that cannot be quoted by spaces. */
export function writeChallenge(scheme: string, parameters: ChallengeParameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replace(UNSAFE, ' ')}"`],
  )
  return pairs.length > 0 ? `${scheme} ${pairs.join(', ')}` : scheme
}
