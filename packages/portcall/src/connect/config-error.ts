/** Thrown, or kept as the reason of one server, when a configuration cannot be used. It never repeats values, which may be secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'INVALID_CONFIG'
}
