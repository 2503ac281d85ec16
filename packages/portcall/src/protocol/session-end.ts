const listeners = new WeakMap<object, (() => void)[]>()

/** Calls the listener once, when the session ends on this process. `session` identifies it, as `sessionOf` returns it. */
export function onSessionEnd(session: object, listener: () => void): void {
  const others = listeners.get(session) ?? []
  listeners.set(session, [...others, listener])
}

/** Calls the listeners of a session. */
export function endSession(session: object): void {
  const ended = listeners.get(session) ?? []
  listeners.delete(session)
  for (const listener of ended) listener()
}
