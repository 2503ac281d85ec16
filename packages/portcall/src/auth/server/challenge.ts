/** What a challenge says besides its scheme, in order; what is `undefined` stays out. */
export type ChallengeParams = Readonly<Record<string, string | undefined>>

/** What a scope may be made of (RFC 6749, section 3.3). */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]+$/
/** What a quoted string may not hold here: an `error_description` has neither quotes nor backslashes (RFC 6750, section 3). */
const UNSAFE = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/** Tells whether a text can be a scope. */
export function isScope(text: string): boolean {
  return SCOPE.test(text)
}

/** Joins scopes for a challenge, each once; what is none stays out, and so does `offline_access`, which is no business of a resource. */
export function joinScopes(...scopes: readonly (readonly string[])[]): string | undefined {
  const all = new Set(scopes.flat().filter((scope) => isScope(scope) && scope !== 'offline_access'))
  return all.size > 0 ? [...all].join(' ') : undefined
}

/** Writes one challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1). Values are quoted; what cannot be, is left out of them. */
export function writeChallenge(scheme: string, params: ChallengeParams): string {
  const written = Object.entries(params).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${value.replace(UNSAFE, ' ')}"`],
  )
  return written.length > 0 ? `${scheme} ${written.join(', ')}` : scheme
}
