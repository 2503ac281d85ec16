import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** Which of the values that a schema allows are objects. */
export type Objects = 'only' | 'some' | 'none'

/** Tells whether a schema allows only objects, no objects, or, as far as can be told, both. */
export function objectsOf(schema: JsonObject): Objects {
  return judge(schema, { root: schema, known: new Map() })
}

interface Search {
  readonly root: JsonObject
  /** What is known of the parts; a part that is still being judged counts as `some`, which ends every circle. */
  readonly known: Map<JsonObject, Objects>
}

function judge(schema: unknown, search: Search): Objects {
  if (schema === false) return 'none'
  if (!isObject(schema)) return 'some'
  let objects = search.known.get(schema)
  if (!objects) {
    search.known.set(schema, 'some')
    objects = both(factsOf(schema, search))
    search.known.set(schema, objects)
  }
  return objects
}

function factsOf(schema: JsonObject, search: Search): Objects[] {
  const { $ref, allOf, anyOf, oneOf } = schema
  const facts = [byType(schema.type), byValues(schema)]
  if (typeof $ref === 'string') facts.push(judge(resolve(search.root, $ref), search))
  if (Array.isArray(allOf)) for (const part of allOf) facts.push(judge(part, search))
  for (const choice of [anyOf, oneOf]) if (Array.isArray(choice)) facts.push(unanimous(choice.map((part) => judge(part, search))))
  return facts
}

/** All of the facts hold. */
function both(facts: readonly Objects[]): Objects {
  if (facts.includes('none')) return 'none'
  return facts.includes('only') ? 'only' : 'some'
}

/** One of the facts holds. */
function unanimous(facts: readonly Objects[]): Objects {
  const [first = 'some'] = facts
  return facts.every((fact) => fact === first) ? first : 'some'
}

function byType(type: unknown): Objects {
  if (type === undefined) return 'some'
  const types: unknown[] = Array.isArray(type) ? type : [type]
  if (!types.includes('object')) return 'none'
  return types.length === 1 ? 'only' : 'some'
}

function byValues(schema: JsonObject): Objects {
  const values: unknown = 'const' in schema ? [schema.const] : schema.enum
  return Array.isArray(values) ? unanimous(values.map((value) => (isObject(value) ? 'only' : 'none'))) : 'some'
}

/** Finds what a reference to this document means; anything else stays unknown. */
function resolve(root: JsonObject, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined
  let place: unknown = root
  for (const step of reference.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    place = typeof place === 'object' && place !== null && Object.hasOwn(place, key) ? (place as JsonObject)[key] : undefined
  }
  return place
}
