/** Finds the output schema of a tool: the schema of the successful responses. */

import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Issue, StandardSchemaWithJson } from '../../schema/standard.ts'
import type { ApiDocument } from '../document/document.ts'
import { objectOrEmpty } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'
import type { SchemaConverter } from '../schemas/definitions.ts'

/** The output schema of a tool. */
export interface OutputSchema {
  /** The schema for the definition of the tool. It does not validate: `check` does that, before the result is made. */
  readonly definition: StandardSchemaWithJson
  /** Returns what is wrong with a response. Empty if it matches the schema. */
  check(value: unknown): Promise<readonly Issue[]>
}

export interface OutputOptions {
  readonly document: ApiDocument
  readonly schemas: SchemaConverter
  readonly maxSchemaChars: number
}

/**
 * Returns the output schema of an operation. There is none if a successful response may have no JSON body, or if the schema is larger than
 * the limit: every client gets it with the list of tools.
 */
export function outputSchemaOf(operation: DescribedOperation, options: OutputOptions): OutputSchema | undefined {
  const { document, schemas, maxSchemaChars } = options
  if (maxSchemaChars === 0 || operation.method === 'HEAD') return undefined
  const responses = Object.entries(objectOrEmpty(operation.source.responses)).filter(([status]) => /^2/.test(status))
  const bodies = responses.map(([, response]) => jsonSchemaOf(document.follow(response), document))
  if (bodies.length === 0 || !bodies.every(isObject)) return undefined
  const converted = bodies.map((body) => schemas.convert(body)).filter(isObject)
  const distinct = [...new Map(converted.map((schema) => [JSON.stringify(schema), schema])).values()]
  const [first] = distinct
  if (!first || Object.keys(first).length === 0) return undefined
  const { schema, isCut } = schemas.complete(distinct.length === 1 ? first : { anyOf: distinct }, maxSchemaChars)
  return isCut || JSON.stringify(schema).length > maxSchemaChars ? undefined : createOutputSchema(schema)
}

/** Returns the schema of a JSON response. */
function jsonSchemaOf({ content }: JsonObject, document: ApiDocument): unknown {
  const entries = Object.entries(objectOrEmpty(content))
  const media = entries.find(([type]) => /[/+]json\b/i.test(type))?.[1]
  return media && entries.every(([type]) => /json|^\*\/\*/i.test(type)) ? document.follow(media).schema : undefined
}

function createOutputSchema(schema: JsonObject): OutputSchema {
  const json = (): { [key: string]: unknown } => ({ ...schema })
  const compiled = compileSchema(schema, 'output', { trusted: false })
  return {
    definition: {
      '~standard': {
        version: 1,
        vendor: 'portcall',
        validate: (value) => ({ value }),
        jsonSchema: { input: json, output: json },
      },
    },
    async check(value) {
      return (await compiled.parse(value)).issues ?? []
    },
  }
}
