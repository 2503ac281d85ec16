/**
 * The fate of an operation that failed. `unsent`: it did not reach the server, or the server did not apply it. `unknown`: no response
 * was received, so it may have been applied. `rejected`: the server refused it. `stale`: the server was demoted or cannot be written to, and
 * another connection may reach one that can; it was not applied.
 */
export type OperationOutcome = 'unsent' | 'unknown' | 'rejected' | 'stale'

/** The failure of an operation on a server, in the same form for all drivers. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
  readonly outcome: OperationOutcome

  constructor(outcome: OperationOutcome, cause: unknown) {
    super(cause instanceof Error ? cause.message || cause.name : String(cause), { cause })
    this.outcome = outcome
  }
}

/** Converts an error that a driver threw after sending. @throws RemoteError always. */
export function throwUnknownOutcome(error: unknown): never {
  throw new RemoteError('unknown', error)
}

/** The codes that Node gives to certificates which it does not accept. */
const CERTIFICATE = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/

/** Reports whether an error is about the certificate of the server. Connecting fails however often it is tried. */
export function isCertificateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CERTIFICATE.test(String(error.code))
}
