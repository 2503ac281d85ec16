import { compileSchema, type Prompt, type Resource, type ResourceTemplate, type Tool } from '../../entrypoints/client.ts'
import { isObject, type JsonObject } from '../../entrypoints/jsonrpc.ts'

/** A problem of a server. */
export interface Finding {
  /** `error`: some hosts reject it. `warning`: it works, but is worse for models or users. */
  readonly level: 'error' | 'warning'
  /** The stable name of the rule. */
  readonly rule: string
  /** What the finding is about: `tool search`, `server`. */
  readonly where: string
  readonly message: string
}

/** Reports a finding about one item. */
export type ReportFinding = (level: Finding['level'], rule: string, message: string) => void

/** The tool names that the APIs of all large models accept. */
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/
/** Hosts add the name of the server as a prefix. */
const MAX_NAME_LENGTH = 40
/** The longest description that all hosts accept. */
const MAX_DESCRIPTION_LENGTH = 1024

export async function checkTool(tool: Tool, report: ReportFinding): Promise<void> {
  const { name, description, inputSchema, outputSchema } = tool
  if (!TOOL_NAME.test(name)) report('error', 'tool-name', 'hosts accept names of 1 to 64 letters, digits, _ and -')
  else if (name.length > MAX_NAME_LENGTH)
    report('warning', 'tool-name-length', `${name.length} characters; some hosts reject it together with the server's name`)
  if (!description?.trim()) report('warning', 'tool-description', 'no description: models do not know what the tool is for')
  else if (description.length > MAX_DESCRIPTION_LENGTH)
    report('warning', 'tool-description-length', `${description.length} characters; some hosts accept ${MAX_DESCRIPTION_LENGTH}`)
  await checkSchema(inputSchema, 'input', report)
  if (outputSchema !== undefined) await checkSchema(outputSchema, 'output', report)
  checkAnnotations(tool, report)
}

function checkAnnotations({ annotations }: Tool, report: ReportFinding): void {
  if (!isObject(annotations)) return
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations
  if (readOnlyHint === true && destructiveHint === true)
    report('error', 'annotations', 'readOnlyHint and destructiveHint contradict each other')
  if (readOnlyHint === true && idempotentHint === false)
    report('warning', 'annotations', 'a read-only tool (readOnlyHint) is always idempotent, but idempotentHint is false')
}

const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/
const COMBINERS = ['anyOf', 'oneOf', 'allOf', 'not', 'enum'] as const
const MAX_DEPTH = 5

async function checkSchema(schema: unknown, use: 'input' | 'output', report: ReportFinding): Promise<void> {
  if (!isObject(schema)) return report('error', `${use}-schema`, `the ${use} schema is not an object`)
  if (schema.type !== 'object') report('error', `${use}-schema`, `the ${use} schema must have the type "object"`)
  if (use === 'input') checkInputSchema(schema, report)
  try {
    await compileSchema(schema, use, { trusted: false }).parse({})
  } catch (error) {
    report('error', `${use}-schema`, `invalid ${use} schema: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function checkInputSchema(schema: JsonObject, report: ReportFinding): void {
  const combiners = COMBINERS.filter((keyword) => schema[keyword] !== undefined)
  if (combiners.length > 0)
    report('error', 'input-schema-root', `some hosts reject ${combiners.join(', ')} at the root of the input schema`)
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {})
  for (const [name] of properties)
    if (!ARGUMENT_NAME.test(name)) report('error', 'argument-name', `hosts reject the argument name ${JSON.stringify(name)}`)
  const undescribed = properties
    .filter(([, property]) => isObject(property) && !property.description && !property.$ref)
    .map(([name]) => name)
  if (undescribed.length > 0) report('warning', 'argument-description', `no description: ${undescribed.join(', ')}`)
  const depth = depthOf(schema)
  if (depth > MAX_DEPTH)
    report('warning', 'input-schema-depth', `objects are nested ${depth} levels deep; some hosts accept ${MAX_DEPTH}`)
}

function depthOf(schema: unknown): number {
  if (!isObject(schema)) return 0
  const nested = Object.values(isObject(schema.properties) ? schema.properties : {}).map(depthOf)
  return (schema.type === 'object' ? 1 : 0) + Math.max(0, depthOf(schema.items), ...nested)
}

export function checkResource({ uri, mimeType, description, title }: Resource, report: ReportFinding): void {
  if (!URL.canParse(uri)) report('error', 'resource-uri', 'invalid URI')
  if (!mimeType) report('warning', 'resource-type', 'no mimeType')
  if (!description && !title) report('warning', 'resource-description', 'neither a title nor a description')
}

export function checkTemplate({ uriTemplate, description, title }: ResourceTemplate, report: ReportFinding): void {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(uriTemplate)) report('error', 'template-uri', 'the URI template has no scheme')
  if (!description && !title) report('warning', 'template-description', 'neither a title nor a description')
}

export function checkPrompt({ description, title, arguments: args = [] }: Prompt, report: ReportFinding): void {
  if (!description && !title) report('warning', 'prompt-description', 'neither a title nor a description')
  const undescribed = args.filter((arg) => !arg.description).map(({ name }) => name)
  if (undescribed.length > 0) report('warning', 'prompt-argument', `no description: ${undescribed.join(', ')}`)
}
