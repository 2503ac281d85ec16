import { PortcallError } from '../../../util/src/errors.ts'
import { LATEST_LEGACY, REVISIONS, type Revision, revisionOf, SUPPORTED_VERSIONS } from '../protocol/revisions.ts'

/**
 * Returns the revision of a session: the one that `initialize` requests if it is a legacy revision, otherwise the latest legacy
 * revision, even if the client requests a modern version.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function chooseRevision(requested: unknown): Revision {
  const revision = typeof requested === 'string' ? revisionOf(requested) : undefined
  return revision?.era === 'legacy' ? revision : LATEST_LEGACY
}

/** Thrown when client and server have no protocol version in common. */
export class NegotiationError extends PortcallError {
  override readonly name = 'NegotiationError'
  readonly code = 'NEGOTIATION_FAILED'
  /** A retry does not help. */
  readonly retryable = false
  /** The version that the client requested. */
  readonly requested: string
  /** All versions that the client accepts. */
  readonly supported: readonly string[]
  /** The version that the server offered, as received. */
  readonly offered: unknown

  /** `offered` is the version in the response of the server, whatever its type. */
  constructor(requested: string, supported: readonly string[], offered: unknown) {
    const version = typeof offered === 'string' ? JSON.stringify(offered.slice(0, 100)) : 'no version'
    super(
      `No common protocol version: the client requested ${requested}, the server offered ${version}; the client supports ${supported.join(', ')}`,
    )
    this.requested = requested
    this.supported = supported
    this.offered = offered
  }
}

/** Returns the legacy revisions among some versions, newest first. */
export function legacyRevisions(versions: readonly string[] = SUPPORTED_VERSIONS): Revision[] {
  return REVISIONS.filter(({ era, version }) => era === 'legacy' && versions.includes(version)).reverse()
}
