/** What the library has to tell its operator. It never writes anywhere itself. */
export type ServerEvent =
  | { type: 'error'; error: unknown; reference: string; method: string; name?: string | undefined }
  | { type: 'warning'; message: string }

/** Hears of errors that callers are not shown, and of warnings. */
export type OnEvent = (event: ServerEvent) => void

/** Reports an error under a new reference, the only thing about it that the caller is told. */
export function reportError(onEvent: OnEvent, error: unknown, where: { method: string; name?: string | undefined }): string {
  const reference = crypto.randomUUID().slice(0, 8)
  onEvent({ type: 'error', error, reference, ...where })
  return reference
}
