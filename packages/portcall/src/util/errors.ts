/**
 * The base class of every error that this package throws on purpose. `code` identifies the kind of error and does not change between
 * versions; messages may.
 */
export abstract class PortcallError extends Error {
  /** Identifies the kind of error. It does not change between versions. */
  abstract readonly code: string | number
}
