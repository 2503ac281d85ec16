import { PortcallError } from '../../../util/src/errors.ts'
import type { ServerDiscovery } from '../cards/client/discover.ts'

/** Thrown when a domain names servers, but `connect` must not choose one of them. */
export class DiscoveryError extends PortcallError {
  override readonly name = 'DiscoveryError'
  readonly code = 'DISCOVERY_FAILED'
  /** A retry does not help. */
  readonly retryable = false
  /** The servers that were found, and where they were looked for. */
  readonly discovery: ServerDiscovery

  /** The message says what to do. */
  constructor(message: string, discovery: ServerDiscovery, options?: ErrorOptions) {
    super(message, options)
    this.discovery = discovery
  }
}
