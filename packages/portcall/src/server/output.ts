import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { CallToolResult, ContentBlock } from '../protocol/types.ts'
import type { CompiledSchema, Issue, Parsed } from '../schema/standard.ts'

/** Thrown when a handler gave something that no result can be made of: the author's mistake, not the caller's. */
export class OutputError extends Error {
  override readonly name = 'OutputError'
  readonly code = 'OUTPUT_INVALID'
  readonly issues: readonly Issue[]

  constructor(what: string, issues: readonly Issue[] = []) {
    super([what, ...issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)].join('\n'))
    this.issues = issues
  }
}

/** Makes a text block. */
export function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}

/** Makes the result of a tool out of what its handler returned; at once, unless the schema takes its time. @throws OutputError */
export function toolResult(value: unknown, output: CompiledSchema | undefined): CallToolResult | Promise<CallToolResult> {
  if (output) return structured(value, output)
  if (value === undefined || value === null) return { content: [] }
  if (typeof value === 'string') return { content: [text(value)] }
  if (Array.isArray(value) && value.every(isBlock)) return { content: value }
  if (isBlock(value)) return { content: [value] }
  if (isObject(value) && Array.isArray(value.content) && value.content.every(isBlock)) return value as unknown as CallToolResult
  throw new OutputError('A tool without `output` returns a string, content blocks or a result with `content`')
}

function structured(value: unknown, output: CompiledSchema): CallToolResult | Promise<CallToolResult> {
  if (isErrorResult(value)) return value
  const full = isObject(value) && 'structuredContent' in value && keysAreOf(value, RESULT_KEYS) ? value : undefined
  const parsed = output.parse(full ? full.structuredContent : value)
  return parsed instanceof Promise ? parsed.then((late) => withContent(late, full)) : withContent(parsed, full)
}

function withContent(parsed: Parsed<unknown>, full: JsonObject | undefined): CallToolResult {
  if (parsed.issues) throw new OutputError('The structured content does not fit the output schema of the tool', parsed.issues)
  const structuredContent = parsed.value
  const content = [text(JSON.stringify(structuredContent))]
  return full ? { content, ...full, structuredContent } : { content, structuredContent }
}

const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta'])

function keysAreOf(value: JsonObject, keys: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => keys.has(key))
}

function isErrorResult(value: unknown): value is CallToolResult {
  return isObject(value) && value.isError === true && Array.isArray(value.content) && keysAreOf(value, RESULT_KEYS)
}

/** Tells whether a value looks like a content block. */
export function isBlock(value: unknown): value is ContentBlock {
  return isObject(value) && typeof value.type === 'string'
}
