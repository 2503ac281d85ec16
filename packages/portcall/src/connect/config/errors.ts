import { PortcallError } from '../../../../util/src/errors.ts'

/** A position in a text. */
export interface TextPosition {
  /** The line, counted from 1. */
  readonly line: number
  /** The column, counted from 1. */
  readonly column: number
}

/** Thrown when a configuration, or one server of it, is invalid. The message contains no values, because they may be secret. */
export class ConfigError extends PortcallError {
  override readonly name = 'ConfigError'
  readonly code = 'INVALID_CONFIG'
  /** Where the error is, if the configuration was passed as text. */
  readonly position: TextPosition | undefined
  /** The message without the position. */
  readonly reason: string

  /** Pass the position in the text, if there is one. */
  constructor(
    message: string,
    {
      position,
      reason = message,
      ...options
    }: ErrorOptions & { readonly position?: TextPosition | undefined; readonly reason?: string } = {},
  ) {
    super(message, options)
    this.position = position
    this.reason = reason
  }
}
