import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { unwrapSchema } from '../../legacy/render/unwrap-schema.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import type { ServerSnapshot } from './snapshot.ts'

/**
 * Returns a snapshot with the output schemas that the newest revision allows. Revisions that allow only objects wrap the others, which is no
 * difference between two servers.
 */
export function unwrapOutputSchemas(snapshot: ServerSnapshot): ServerSnapshot {
  const { tools, revision = '' } = snapshot
  if (!tools || revisionOf(revision)?.structuredContent !== 'object') return snapshot
  return { ...snapshot, tools: tools.map(unwrapOutputSchema) }
}

/** Returns a tool with the output schema that the newest revision allows. */
export function unwrapOutputSchema(tool: JsonObject): JsonObject {
  return isObject(tool.outputSchema) ? { ...tool, outputSchema: unwrapSchema(tool.outputSchema) } : tool
}
