import { PortcallError } from '../../../../../util/src/errors.ts'

/** Thrown for a header that HTTP cannot carry, before anything is sent. Its message does not contain the value, which may be a secret. */
export class InvalidHeaderError extends PortcallError {
  override readonly name = 'InvalidHeaderError'
  readonly code = 'INVALID_HEADER'
  /** A retry does not help. */
  readonly retryable = false
  /** The name of the header. */
  readonly header: string

  /** `header` is the name, `reason` what is wrong with the value. */
  constructor(header: string, reason: string) {
    super(`The header ${JSON.stringify(header)} cannot be sent: ${reason}`)
    this.header = header
  }
}
