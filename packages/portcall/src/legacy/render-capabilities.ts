import type { JsonObject } from '../jsonrpc/message.ts'
import { readClientCapabilities } from '../protocol/capabilities.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { ClientCapabilities, ServerCapabilities } from '../protocol/types.ts'

/** Renders what a server declares in its answer to `initialize`. Extensions are told in every revision. */
export function renderCapabilities(capabilities: ServerCapabilities, revision: Revision): JsonObject {
  const told = Object.entries(capabilities).filter(([key]) => key === 'extensions' || revision.serverCapabilities.includes(key))
  return Object.fromEntries(told)
}

/**
 * Reads what a client declared in `initialize`, in the terms of the newest revision: liberal in its forms, and without what this revision
 * cannot ask for.
 */
export function readCapabilities(raw: unknown, revision: Revision): ClientCapabilities {
  const { elicitation, sampling, ...capabilities } = readClientCapabilities(raw)
  const read: ClientCapabilities = capabilities
  if (elicitation && revision.asks.includes('elicitation/create'))
    read.elicitation = revision.fields.elicitUrl.length > 0 ? elicitation : { form: {} }
  if (sampling) read.sampling = revision.sampling.context === 'assumed' ? { context: {} } : sampling
  return read
}
