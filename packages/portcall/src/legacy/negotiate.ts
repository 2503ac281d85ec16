import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { hasEnvelope } from '../protocol/meta.ts'
import { LATEST_LEGACY, type Revision, revisionOf } from '../protocol/revisions.ts'

/**
 * Chooses the revision of a session: the one that `initialize` asks for when it is a legacy one that exists, else the newest legacy
 * one, also when the client names a version of the stateless era.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function chooseRevision(requested: unknown): Revision {
  const revision = typeof requested === 'string' ? revisionOf(requested) : undefined
  return revision?.era === 'legacy' ? revision : LATEST_LEGACY
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
