/** Merges the alternatives at the root of an input schema into one object: model APIs refuse them there. */

import { readParts } from '../../../util/src/parts.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { resolveLocal } from './local-reference.ts'

/** The members of an object schema. */
interface Members {
  readonly properties: JsonObject
  readonly required: readonly string[]
}

const MAX_DEPTH = 8
const MAX_SHOWN = 12

/** Returns an object schema that accepts what any of the alternatives accepts, and says in words which arguments belong together. */
export function mergeAlternatives(root: JsonObject): JsonObject {
  const { allOf, anyOf, oneOf, ...rest } = root
  if (![allOf, anyOf, oneOf].some(Array.isArray)) return { ...rest }
  const { properties, required } = membersOf(root, root)
  const groups = [anyOf, oneOf].flatMap((branches) => listOf(branches).map((branch) => membersOf(branch, root)))
  const shown = groups.filter(({ properties: own }) => Object.keys(own).length > 0).map(describeGroup)
  const note = shown.length > 1 ? `Pass one of these groups of arguments: ${shown.slice(0, MAX_SHOWN).join(' | ')}` : undefined
  const description = [typeof rest.description === 'string' && rest.description, note].filter(Boolean).join('\n')
  // What one alternative forbids, another one may allow.
  const { additionalProperties, unevaluatedProperties: _, ...open } = rest
  const isClosed = additionalProperties === false && groups.length === 0
  return {
    ...open,
    ...(isClosed && { additionalProperties }),
    ...(description && { description }),
    properties,
    required: [...required],
  }
}

function membersOf(schema: unknown, root: JsonObject): Members {
  return readParts<JsonObject, Members>(resolveLocal(schema, root), MAX_DEPTH, (source, readPart) => {
    const read = (parts: unknown): Members[] => (readPart ? listOf(parts).map((part) => readPart(resolveLocal(part, root))) : [])
    const own: Members = { properties: isObject(source.properties) ? source.properties : {}, required: namesIn(source.required) }
    const all = [...read(source.allOf), anyMembers(read(source.anyOf)), anyMembers(read(source.oneOf)), own]
    return {
      properties: Object.assign({}, ...all.map(({ properties }) => properties)),
      required: [...new Set(all.flatMap(({ required }) => required))],
    }
  })
}

/** Returns the members of alternatives: all of their properties, and those that each of them requires. */
function anyMembers(branches: readonly Members[]): Members {
  const names = [...new Set(branches.flatMap(({ properties }) => Object.keys(properties)))]
  const [first] = branches
  return {
    properties: Object.fromEntries(
      names.map((name) => [
        name,
        anyOfSchemas(
          branches.filter(({ properties }) => Object.hasOwn(properties, name)).map(({ properties }) => properties[name]),
        ),
      ]),
    ),
    required: (first?.required ?? []).filter((name) => branches.every(({ required }) => required.includes(name))),
  }
}

function anyOfSchemas(schemas: readonly unknown[]): unknown {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  if (distinct.length === 1) return distinct[0]
  const values = distinct.map((schema) => (isObject(schema) ? valuesOf(schema) : undefined))
  if (!values.every(Array.isArray)) return { anyOf: distinct }
  const all = [...new Set(values.flat())]
  const [description] = distinct.flatMap((schema) =>
    isObject(schema) && typeof schema.description === 'string' ? [schema.description] : [],
  )
  return { ...(description !== undefined && { description }), ...typeOf(all), enum: all }
}

function valuesOf(schema: JsonObject): readonly unknown[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum
  return schema.const === undefined ? undefined : [schema.const]
}

function typeOf(values: readonly unknown[]): JsonObject {
  return values.every((value) => typeof value === 'string') ? { type: 'string' } : {}
}

function describeGroup({ properties, required }: Members): string {
  return Object.entries(properties)
    .slice(0, MAX_SHOWN)
    .map(([name, schema]) => {
      const values = isObject(schema) ? valuesOf(schema) : undefined
      const text = values?.length === 1 ? `${name} = ${JSON.stringify(values[0])}` : name
      return required.includes(name) ? text : `${text} (optional)`
    })
    .join(', ')
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function namesIn(value: unknown): string[] {
  return listOf(value).filter((name) => typeof name === 'string')
}
