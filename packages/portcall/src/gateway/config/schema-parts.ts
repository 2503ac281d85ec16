import type { JsonObject } from '../../jsonrpc/message.ts'

/** Functions that write the parts of the JSON Schema. Each part has a description, which is also the reference in the documentation. */
export const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more })
export const flag = (description: string): JsonObject => ({ type: 'boolean', description })
export const count = (description: string, more: JsonObject = {}): JsonObject => {
  return { type: 'integer', minimum: 0, description, ...more }
}
export const texts = (description: string): JsonObject => ({ type: 'array', items: { type: 'string' }, description })
/** One string or several. */
export const textOrTexts = (description: string): JsonObject => {
  return { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }], description }
}
export const choice = (description: string, values: readonly string[]): JsonObject => ({ enum: values, description })
export const record = (description: string, values: JsonObject): JsonObject => ({
  type: 'object',
  additionalProperties: values,
  description,
})
export const section = (description: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  description,
  properties,
  additionalProperties: false,
  ...more,
})
