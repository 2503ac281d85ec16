/** The rules of model APIs for the schemas of tools. `portcall check` reports what breaks them, and the adapters for agents avoid it. */

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
