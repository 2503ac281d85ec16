import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { hasEnvelope } from '../protocol/meta.ts'
import { LATEST_LEGACY, REVISIONS, type Revision, revisionOf, SUPPORTED_VERSIONS } from '../protocol/revisions.ts'

/**
 * Chooses the revision of a session: the one that `initialize` asks for when it is a legacy one that exists, else the newest legacy
 * one, also when the client names a version of the stateless era.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function chooseRevision(requested: unknown): Revision {
  const revision = typeof requested === 'string' ? revisionOf(requested) : undefined
  return revision?.era === 'legacy' ? revision : LATEST_LEGACY
}

/** No version was found that both sides speak. */
export class NegotiationError extends Error {
  override readonly name = 'NegotiationError'
  readonly code = 'NEGOTIATION_FAILED'
  readonly retryable = false
  /** What this side had asked for, and all that it would have taken. */
  readonly requested: string
  readonly supported: readonly string[]
  /** What the server has answered with. */
  readonly answered: unknown

  constructor(requested: string, supported: readonly string[], answered: unknown) {
    const theirs = typeof answered === 'string' ? JSON.stringify(answered.slice(0, 100)) : 'no version'
    super(
      `No common protocol version: asked for ${requested}, the server answered with ${theirs}; this side speaks ${supported.join(', ')}`,
    )
    this.requested = requested
    this.supported = supported
    this.answered = answered
  }
}

/** The revisions of the handshake era among some versions, newest first. */
export function legacyRevisions(versions: readonly string[] = SUPPORTED_VERSIONS): Revision[] {
  return REVISIONS.filter(({ era, version }) => era === 'legacy' && versions.includes(version)).reverse()
}

/**
 * Tells which era a message speaks: the stateless one when its params carry an envelope, or when the header names a version that is
 * not a legacy one. An `initialize` without an envelope always opens a legacy session.
 */
export function isModern(message: { readonly method?: string; readonly params?: unknown }, headerVersion?: string): boolean {
  const params: JsonObject | undefined = isObject(message.params) ? message.params : undefined
  if (hasEnvelope(params)) return true
  if (message.method === 'initialize' || headerVersion === undefined) return false
  return revisionOf(headerVersion)?.era !== 'legacy'
}
