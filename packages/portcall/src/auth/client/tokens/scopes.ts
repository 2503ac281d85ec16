/** Splits a space-separated list of scopes and removes duplicates. */
export function splitScopes(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter(Boolean))]
}

/** Returns the union of several lists in the order of first occurrence, or `undefined` if it is empty. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = splitScopes(scopes.filter((scope) => scope !== undefined).join(' '))
  return all.length > 0 ? all.join(' ') : undefined
}

/** Reports whether a list contains all scopes of another. */
export function coversScopes(scope: string | undefined, required: string | undefined): boolean {
  const available = new Set(splitScopes(scope))
  return splitScopes(required).every((one) => available.has(one))
}
