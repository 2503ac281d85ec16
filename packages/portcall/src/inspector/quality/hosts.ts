/** What hosts and the APIs of models accept. One table, so that a changed limit is changed in one place. */

/** A limit, and who has it. */
export interface HostLimit {
  readonly limit: number
  readonly hosts: string
}

export const HOST_LIMITS: {
  readonly [name in 'nameWithServer' | 'description' | 'someTools' | 'mostTools' | 'depth']: HostLimit
} = {
  /** Hosts add the name of the server as a prefix, and count both. */
  nameWithServer: { limit: 40, hosts: 'some hosts' },
  description: { limit: 1024, hosts: 'some hosts' },
  someTools: { limit: 40, hosts: 'some hosts' },
  mostTools: { limit: 128, hosts: 'VS Code and the OpenAI API' },
  depth: { limit: 5, hosts: 'some hosts' },
}

/** The tool names that the APIs of all large models accept. */
export const TOOL_NAME: RegExp = /^[a-zA-Z0-9_-]{1,64}$/
/** The first characters of tool names that the Gemini API accepts. */
export const TOOL_NAME_START: RegExp = /^[a-zA-Z_]/
/** The argument names that the APIs of all large models accept. */
export const ARGUMENT_NAME: RegExp = /^[a-zA-Z0-9_.-]{1,64}$/
/** The keywords that hosts refuse at the root of an input schema. */
export const ROOT_COMBINERS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const
/** The keywords that the subsets of JSON Schema of some hosts and models lack, at any depth. */
export const OUTSIDE_SUBSETS: readonly string[] = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'patternProperties',
  'propertyNames',
  'dependentSchemas',
  'dependentRequired',
  'unevaluatedProperties',
  'prefixItems',
  'contains',
  '$dynamicRef',
]
