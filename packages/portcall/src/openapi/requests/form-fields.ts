/** Reads the members that an object schema declares. */
import type { JsonObject } from '../../entrypoints/jsonrpc.ts'
import type { ApiDocument } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'

/** The members of an object schema. */
export interface FormFields {
  readonly properties: JsonObject
  readonly required: string[]
  /** True if the schema allows members besides `properties`. */
  readonly isOpen: boolean
}

const MAX_DEPTH = 8
/** Keywords that describe members in addition to `properties`. */
const OPENING: readonly string[] = ['patternProperties', 'anyOf', 'oneOf', 'if', 'dependentSchemas']

/** Returns the members of an object schema, also those of the parts of `allOf`. */
export function formFields(schema: unknown, document: ApiDocument, depth = 0): FormFields {
  const source = document.follow(schema)
  const parts = depth < MAX_DEPTH ? arrayOrEmpty(source.allOf).map((part) => formFields(part, document, depth + 1)) : []
  const own = arrayOrEmpty(source.required).filter((name) => typeof name === 'string')
  const { additionalProperties = false, unevaluatedProperties = false } = source
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), objectOrEmpty(source.properties)),
    required: [...new Set([...parts.flatMap(({ required }) => required), ...own])],
    isOpen:
      additionalProperties !== false ||
      unevaluatedProperties !== false ||
      OPENING.some((keyword) => Object.hasOwn(source, keyword)) ||
      parts.some(({ isOpen }) => isOpen),
  }
}

/** Returns the names of the members of an object, or `undefined` if its schema does not list them all. */
export function memberNames(schema: unknown, document: ApiDocument): ReadonlySet<string> | undefined {
  const { properties, isOpen } = formFields(schema, document)
  const names = Object.keys(properties)
  return isOpen || names.length === 0 ? undefined : new Set(names)
}
