import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { objectsOf } from './schema-objects.ts'
import { relocate } from './schema-relocate.ts'

const inputs = new WeakMap<JsonObject, JsonObject>()
const outputs = new WeakMap<JsonObject, JsonObject>()

/** Renders the input schema of a tool for a legacy revision: every keyword stays. */
export function renderInputSchema(schema: JsonObject): JsonObject {
  return remember(inputs, schema, withPropertyObjects)
}

/**
 * Renders the output schema of a tool for a legacy revision, where the root has to describe an object. What describes other values is
 * wrapped as `{ "result": value }`, like the values. What describes objects and other values allows both, the object as it is and the
 * other value wrapped, so that whatever the tool returns fits.
 */
export function renderOutputSchema(schema: JsonObject): JsonObject {
  return remember(outputs, schema, (given) => withPropertyObjects(withObjectRoot(given)))
}

function remember(
  memory: WeakMap<JsonObject, JsonObject>,
  schema: JsonObject,
  render: (schema: JsonObject) => JsonObject,
): JsonObject {
  let rendered = memory.get(schema)
  if (!rendered) {
    rendered = render(schema)
    memory.set(schema, rendered)
  }
  return rendered
}

/** A property may be `true` or `false` in JSON Schema; the official schemas of these revisions know only objects. */
function withPropertyObjects(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isObject(properties)) return schema
  const entries = Object.entries(properties)
  if (entries.every(([, property]) => isObject(property))) return schema
  const objects = entries.map(([name, property]) => [name, isObject(property) ? property : property === false ? { not: {} } : {}])
  return { ...schema, properties: Object.fromEntries(objects) }
}

function withObjectRoot(schema: JsonObject): JsonObject {
  if (schema.type === 'object') return schema
  const objects = objectsOf(schema)
  if (objects === 'only') return { ...schema, type: 'object' }
  return objects === 'none' ? wrapped(schema) : either(schema)
}

function wrapped(schema: JsonObject): JsonObject {
  const { root, moved } = relocate(schema, '#/properties/result')
  return { ...root, type: 'object', properties: { result: moved }, required: ['result'] }
}

function either(schema: JsonObject): JsonObject {
  let name = 'Result'
  while (isObject(schema.$defs) && name in schema.$defs) name += '_'
  const $ref = `#/$defs/${name}`
  const { root, moved } = relocate(schema, $ref)
  const $defs = isObject(root.$defs) ? root.$defs : {}
  const anyOf = [{ $ref }, { properties: { result: { $ref } }, required: ['result'] }]
  return { ...root, type: 'object', anyOf, $defs: { ...$defs, [name]: moved } }
}
