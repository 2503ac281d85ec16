/** Throw it in a verifier to refuse a token: the caller gets 401 `invalid_token` with the message as its description. */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
  readonly code = 'TOKEN_REFUSED'
}

/** Throw it in a verifier that cannot tell now: the caller gets 503, and may come back with the same token. */
export class VerifierUnavailable extends Error {
  override readonly name = 'VerifierUnavailable'
  readonly code = 'VERIFIER_UNAVAILABLE'
}
