/** Reads the members that an object schema declares. */

import { readParts } from '../../../../util/src/parts.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ApiDocument } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'

/** The members of an object schema. */
export interface FormFields {
  readonly properties: JsonObject
  readonly required: string[]
  /** True if the schema allows members besides `properties`. */
  readonly isOpen: boolean
}

/** Longer chains of parts end there. */
const MAX_DEPTH = 8
/** Keywords that describe members in addition to `properties`. */
const OPENING: readonly string[] = ['patternProperties', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

/** Returns the members of an object schema, also those of the parts of `allOf` and of the branches of `anyOf` and `oneOf`. */
export function formFields(schema: unknown, document: ApiDocument): FormFields {
  return readParts<JsonObject, FormFields>(document.follow(schema), MAX_DEPTH, (source, readPart) =>
    readFields(source, (part) => readPart?.(document.follow(part))),
  )
}

/** Returns the members of an object schema. `readPart` returns those of a part, or `undefined` if they do not count. */
function readFields(source: JsonObject, readPart: (part: unknown) => FormFields | undefined): FormFields {
  const read = (keyword: string): FormFields[] => arrayOrEmpty(source[keyword]).flatMap((part) => readPart(part) ?? [])
  const parts = read('allOf')
  const branches = [...read('anyOf'), ...read('oneOf')].filter(({ properties }) => Object.keys(properties).length > 0)
  const own = arrayOrEmpty(source.required).filter((name) => typeof name === 'string')
  const everywhere = (branches[0]?.required ?? []).filter((name) => branches.every(({ required }) => required.includes(name)))
  const { additionalProperties = false, unevaluatedProperties = false } = source
  return {
    properties: {
      ...mergeAlternatives(branches),
      ...Object.assign({}, ...parts.map(({ properties }) => properties), objectOrEmpty(source.properties)),
    },
    required: [...new Set([...parts.flatMap(({ required }) => required), ...everywhere, ...own])],
    isOpen:
      additionalProperties !== false ||
      unevaluatedProperties !== false ||
      OPENING.some((keyword) => Object.hasOwn(source, keyword)) ||
      parts.some(({ isOpen }) => isOpen),
  }
}

/** Returns the members of some branches. One that several of them describe may be what any of them says. */
function mergeAlternatives(branches: readonly FormFields[]): JsonObject {
  const found = new Map<string, Map<string, unknown>>()
  for (const { properties } of branches)
    for (const [name, schema] of Object.entries(properties)) {
      const schemas = found.get(name) ?? new Map<string, unknown>()
      found.set(name, schemas.set(JSON.stringify(schema), schema))
    }
  return Object.fromEntries(
    [...found].map(([name, schemas]) => [name, schemas.size === 1 ? [...schemas.values()][0] : { anyOf: [...schemas.values()] }]),
  )
}

/** Returns the names of the members of an object, or `undefined` if its schema does not list them all. */
export function memberNames(schema: unknown, document: ApiDocument): ReadonlySet<string> | undefined {
  const { properties, isOpen } = formFields(schema, document)
  const names = Object.keys(properties)
  return isOpen || names.length === 0 ? undefined : new Set(names)
}
