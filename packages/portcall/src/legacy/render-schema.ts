import type { JsonObject } from '../jsonrpc/message.ts'

/** Renders the input schema of a tool for a legacy revision: every keyword stays. */
export function renderInputSchema(schema: JsonObject): JsonObject {
  return schema
}

/** Renders the output schema of a tool for a legacy revision: its root has to be an object. */
export function renderOutputSchema(schema: JsonObject): JsonObject {
  return schema
}
