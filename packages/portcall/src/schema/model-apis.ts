/** The rules of model APIs for the schemas of tools. `portcall check` reports what breaks them, and the adapters for agents avoid it. */
import type { JsonObject } from '../jsonrpc/message.ts'

/** The names of arguments that the Claude API accepts. */
export const ARGUMENT_NAME: RegExp = /^[a-zA-Z0-9_.-]{1,64}$/
/** The keywords that the Claude API and the OpenAI API refuse at the root of an input schema. */
export const COMBINERS: readonly string[] = ['oneOf', 'anyOf', 'allOf']
/** The keywords that the OpenAI API refuses at the root of an input schema. */
export const REFUSED_AT_ROOT: readonly string[] = [...COMBINERS, 'enum', 'not']
/** The characters of the names of tools that all APIs accept. */
export const TOOL_NAME_CHARACTERS: RegExp = /^[a-zA-Z0-9_-]+$/
/** The length of the names of tools that all APIs accept. */
export const MAX_TOOL_NAME_LENGTH = 64

/** Reports whether a schema names a type, alone or in a list. */
export function allowsType({ type }: JsonObject, name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}

/** Reports whether a schema allows arrays and says nothing about their items. The OpenAI API refuses it, at any depth. */
export const lacksItems = (schema: JsonObject): boolean =>
  allowsType(schema, 'array') && schema.items === undefined && schema.prefixItems === undefined
/** Reports whether a schema has a tuple as older drafts wrote it. The Claude API refuses it, at any depth. */
export const isOldTuple = ({ items }: JsonObject): boolean => Array.isArray(items)
/** Reports whether a schema has an exclusive limit as draft 4 wrote it. The Claude API refuses it, at any depth. */
export const hasOldLimit = ({ exclusiveMinimum, exclusiveMaximum }: JsonObject): boolean =>
  typeof exclusiveMinimum === 'boolean' || typeof exclusiveMaximum === 'boolean'
