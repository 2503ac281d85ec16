/** Scopes as OAuth writes them, in a list without repetition. */
export function splitScopes(scope: string | undefined): string[] {
  return [...new Set((scope ?? '').split(/\s+/).filter(Boolean))]
}

/** All scopes of several lists, in the order in which they are first named; `undefined` when there are none. */
export function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = splitScopes(scopes.filter((scope) => scope !== undefined).join(' '))
  return all.length > 0 ? all.join(' ') : undefined
}

/** Whether one list holds all scopes of another. */
export function coversScopes(scope: string | undefined, wanted: string | undefined): boolean {
  const held = new Set(splitScopes(scope))
  return splitScopes(wanted).every((one) => held.has(one))
}
