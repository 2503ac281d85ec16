/** Turns responses into results of tools. */

import { toBase64 } from '../../../../util/src/base64.ts'
import type { CallToolResult, ContentBlock } from '../../protocol/types.ts'
import type { Call } from '../../server/call.ts'
import { ToolError } from '../../server/errors.ts'
import { isDeeperThan } from '../document/structure.ts'
import type { OperationOverrides } from '../options.ts'
import type { RequestPlan } from '../requests/plan.ts'
import type { ApiResponse } from '../requests/send.ts'
import { parseExactly } from '../schemas/integers.ts'
import { bodyText } from './body-text.ts'
import { conform } from './conform.ts'
import { failureOf, MAX_RESPONSE_DEPTH } from './failure.ts'
import type { OutputSchema } from './output.ts'
import { paginationHint } from './pagination.ts'
import type { Redactor } from './redact.ts'
import { selectPaths, trimToFit } from './trim.ts'

export interface ResultOptions {
  readonly plan: RequestPlan
  readonly output: OutputSchema | undefined
  readonly select: OperationOverrides['select']
  readonly maxChars: number
  /** Removes the credentials of the call. */
  readonly redactor: Redactor
  readonly call: Call
  /** The URL of the request without its query. */
  readonly uri: string
}

const NOT_MODIFIED = 304
const UNCHANGED = 'nothing has changed since the version that the request names. What was received before still applies'

/** Converts a response to a result. @throws ToolError for a status of 300 or more, except 304. */
export async function toResult(response: ApiResponse, options: ResultOptions): Promise<CallToolResult> {
  const { operation } = options.plan
  const { output } = options
  if (response.status >= 300 && response.status !== NOT_MODIFIED) throw failureOf(operation.id, response, options.redactor)
  const json = response.bytes.length > 0 ? parseJsonBody(response, output !== undefined) : undefined
  if (json) return jsonResult(json.value, response, options)
  const block = contentOf(response, options)
  if (!output) return { content: [block] }
  // The call succeeded, whatever the description says about the body: an error would invite the model to call again.
  const conforming = await conform(block.type === 'text' && response.bytes.length > 0 ? block.text : {}, output)
  if (!conforming) return { content: [text(deviation(response, options)), block], isError: true }
  return { content: [block], structuredContent: conforming.value as never }
}

/** Returns the parsed body of a JSON response, or `undefined` for other responses. Where JSON is described, the content type does not count. */
function parseJsonBody(response: ApiResponse, isDescribed: boolean): { readonly value: unknown } | undefined {
  const type = response.headers.get('content-type')
  if (type !== null && !isDescribed && !/[/+]json\b/i.test(type)) return undefined
  try {
    const value: unknown = parseExactly(bodyText(response))
    return isDeeperThan(value, MAX_RESPONSE_DEPTH) ? undefined : { value }
  } catch {
    return undefined
  }
}

async function jsonResult(body: unknown, response: ApiResponse, options: ResultOptions): Promise<CallToolResult> {
  const { plan, output, select, maxChars, call, redactor } = options
  const selected = typeof select === 'function' ? await select(body, call) : select ? selectPaths(body, select) : body
  // Secrets are replaced before texts are cut, so that no half of one remains.
  const { value, notes } = trimToFit(redactor.value(selected), maxChars)
  const conforming = output && (await conform(value, output))
  const hints = [notes.length > 0 && `Shortened: ${notes.join('; ')}.`, paginationHint(plan, response.headers, body)]
  const hintBlocks = hints.filter((hint) => typeof hint === 'string').map((hint) => text(redactor.text(hint)))
  const content = [text(JSON.stringify(value) ?? 'null'), ...hintBlocks]
  if (output && !conforming) return { content: [text(deviation(response, options)), ...content], isError: true }
  const isStructured = conforming !== undefined || (typeof value === 'object' && value !== null)
  return { content, ...(isStructured && { structuredContent: (conforming ? conforming.value : value) as never }) }
}

function deviation(response: ApiResponse, { redactor }: ResultOptions): string {
  return `${redactor.text(status(response))}: the request succeeded, but the response does not match its description. The response:`
}

const TEXT = /^text\/|[/+](xml|yaml|x-yaml|javascript|x-ndjson|jsonl|graphql|x-www-form-urlencoded)\b/i

/** Returns the body of a response that is not JSON as content: text, an image, audio, or bytes. */
function contentOf(response: ApiResponse, { maxChars, redactor, uri, plan }: ResultOptions): ContentBlock {
  const { headers, bytes } = response
  if (bytes.length === 0)
    return text(redactor.text(plan.operation.method === 'HEAD' ? describeHeaders(response) : status(response)))
  const mimeType = mimeTypeOf(headers, redactor)
  if (TEXT.test(mimeType) || (mimeType === '' && isText(bytes)) || /json/.test(mimeType)) {
    const { value } = trimToFit(redactor.text(bodyText(response)), maxChars)
    return text(String(value))
  }
  assertNoSecrets(bytes, redactor)
  const data = toBase64(bytes)
  if (data.length > maxChars * 10)
    throw new ToolError(`The response is a file of ${bytes.length} bytes, which is too large to return`)
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType }
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType }
  return { type: 'resource', resource: { uri, blob: data, ...(mimeType !== '' && { mimeType }) } }
}

/** Returns the media type of a response without its parameters. Empty if it has none. */
export function mimeTypeOf(headers: Headers, redactor: Redactor): string {
  return redactor.text(headers.get('content-type')?.split(';')[0]?.trim() ?? '').toLowerCase()
}

/** A file cannot be changed without damage. @throws ToolError when it contains a credential. */
export function assertNoSecrets(bytes: Uint8Array, redactor: Redactor): void {
  if (redactor.isIn(bytes))
    throw new ToolError('The response is a file that contains a credential of the API. It is not returned')
}

function text(content: string): ContentBlock {
  return { type: 'text', text: content }
}

function status({ status: code, statusText }: ApiResponse): string {
  const line = [code, statusText].filter(Boolean).join(' ')
  return code === NOT_MODIFIED ? `${line}: ${UNCHANGED}` : line
}

const SHOWN_HEADERS = /^(content-|last-modified|etag|expires|location|x-total|link)/

function describeHeaders(response: ApiResponse): string {
  const shown = [...response.headers].filter(([name]) => SHOWN_HEADERS.test(name)).map(([name, value]) => `${name}: ${value}`)
  return [status(response), ...shown].join('\n')
}

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder('utf-8', { fatal: true }).decode(bytes).includes('\0')
  } catch {
    return false
  }
}
