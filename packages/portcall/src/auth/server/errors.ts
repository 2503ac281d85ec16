import { PortcallError } from '../../../../util/src/errors.ts'

/** Throw it in a verifier to refuse a token. The caller receives 401 `invalid_token` with the message as its description. */
export class InvalidTokenError extends PortcallError {
  override readonly name = 'InvalidTokenError'
  readonly code = 'INVALID_TOKEN'
}

/** Throw it in a verifier that cannot verify tokens at the moment. The caller receives 503 and may retry with the same token. */
export class VerifierUnavailableError extends PortcallError {
  override readonly name = 'VerifierUnavailableError'
  readonly code = 'VERIFIER_UNAVAILABLE'
}
