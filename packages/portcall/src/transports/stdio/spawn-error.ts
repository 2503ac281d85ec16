/** A program could not be started at all. */
export class SpawnError extends Error {
  override readonly name = 'SpawnError'
  readonly code = 'SPAWN_FAILED'
  /** Trying again changes nothing. */
  readonly retryable = false
  /** What was to be started. */
  readonly command: string

  constructor(command: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.command = command
  }
}
