import { PortcallError } from '../../util/errors.ts'

/** Thrown when a configuration, or one server of it, is invalid. The message contains no values, because they may be secret. */
export class ConfigError extends PortcallError {
  override readonly name = 'ConfigError'
  readonly code = 'INVALID_CONFIG'
}
