import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { ViewKey } from '../../protocol/apps.ts'
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.ts'
import type { CallToolResult, Meta, Tool } from '../../protocol/types.ts'
import type { CompiledSchema, Schema } from '../../schema/standard.ts'
import type { ToolDefinition, ToolHandler } from '../definitions.ts'
import { compileMember } from './compile-member.ts'
import { createEntry, type Registry, type RegistryEntry } from './registry.ts'

export type AnyToolDefinition = ToolDefinition<Schema | undefined, Schema | undefined>
export type AnyToolHandler = ToolHandler<Schema | undefined, undefined>

/** A registered tool with its compiled schemas. */
export interface ToolEntry extends RegistryEntry<AnyToolDefinition, Tool> {
  readonly handler: AnyToolHandler
  /** Validates the arguments. */
  readonly input: Pick<CompiledSchema, 'parse'>
  readonly output: CompiledSchema | undefined
  readonly headerParams: readonly HeaderParam[]
  /** Completes a result, for tools with a view. */
  readonly finish?: (result: CallToolResult) => CallToolResult
}

export type ToolRegistry = Registry<AnyToolDefinition, ToolEntry>

/** @throws SchemaError when a schema is invalid or not supported. */
export function createTool(name: string, definition: AnyToolDefinition, handler: AnyToolHandler): ToolEntry {
  const { title, description, icons, annotations } = definition
  const input = compileMember(`input of the tool ${JSON.stringify(name)}`, definition.input)
  const output = compileMember(`output of the tool ${JSON.stringify(name)}`, definition.output, 'output')
  const inputSchema = input ? asObjectSchema(input.json, name) : { type: 'object' as const, additionalProperties: false }
  const listing = {
    name,
    title,
    description,
    inputSchema,
    outputSchema: output?.json,
    annotations,
    icons,
    _meta: metaOf(definition),
  }
  const entry = createEntry<AnyToolDefinition, Tool>(definition, listing as Tool)
  return { ...entry, handler, input: input ?? NO_ARGUMENTS, output, headerParams: readHeaderParams(inputSchema) }
}

/** Returns the `_meta` of a tool's entry, with its audience. */
function metaOf({ _meta, visibility }: AnyToolDefinition): Meta | undefined {
  if (!visibility) return _meta
  const ui = _meta?.[ViewKey.nested]
  return { ..._meta, [ViewKey.nested]: { ...(isObject(ui) && ui), visibility } }
}

/**
 * Parses the arguments of a tool without an input schema. Its listing says that there are none, but hosts add arguments of their own to every
 * call: they are dropped.
 */
const NO_ARGUMENTS: ToolEntry['input'] = { parse: () => ({ value: {} }) }

function asObjectSchema(schema: JsonObject, name: string): JsonObject {
  if (schema.type === 'object') return schema
  if (schema.type === undefined) return { type: 'object', ...schema }
  throw new Error(
    `The input schema of the tool ${JSON.stringify(name)} must describe an object, not ${JSON.stringify(schema.type)}`,
  )
}
