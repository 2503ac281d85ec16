/** The events of a server. The library does not log. */
export type ServerEvent =
  | { type: 'error'; error: unknown; reference: string; method: string; name?: string | undefined }
  | { type: 'warning'; message: string }

/** Receives errors whose details are hidden from clients, and warnings. */
export type OnEvent = (event: ServerEvent) => void

/** Emits an `error` event and returns its reference, the only detail about the error that the client receives. */
export function emitError(onEvent: OnEvent, error: unknown, source: { method: string; name?: string | undefined }): string {
  const reference = crypto.randomUUID().slice(0, 8)
  onEvent({ type: 'error', error, reference, ...source })
  return reference
}
