import type { Tool } from 'portcall/client'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { encodeHeaderValue, paramHeaders, readHeaderParams } from '../../../portcall/src/protocol/header-params.ts'
import { clientMeta, initializeParams } from '../../../portcall/src/protocol/probes.ts'
import { MODERN_VERSION } from '../../../portcall/src/protocol/revisions.ts'
import { quote } from '../../../util/src/quote.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { redactText } from './redact.ts'
import { type CopyInput, type WireForm, wireForm } from './wire-form.ts'

type Headers = Readonly<Record<string, string>>

const CLIENT_INFO = { name: 'curl', version: '1' }
const POST: Headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** Writes a request as commands of curl: one in the newest revision, and a session in older ones. */
export function writeCurl(input: CopyInput, ownHeaders: readonly string[]): string {
  const { target, state } = input.server
  if (target.kind !== 'url') throw new InspectorCommandError('INVALID_PARAMS', 'curl needs a server with a URL')
  const { era = 'modern', revision = MODERN_VERSION } = state.negotiation ?? {}
  if (era === 'http+sse')
    throw new InspectorCommandError(
      'INVALID_PARAMS',
      'curl cannot send requests over HTTP+SSE, whose responses are on another stream',
    )
  const form = wireForm(input)
  const post = (
    message: object,
    { headers = {}, before = [] }: { headers?: Headers; before?: readonly string[] } = {},
  ): string => {
    const own = Object.entries({ ...POST, ...headers }).map(([key, value]) => `-H ${quote(`${key}: ${value}`)}`)
    const body = `--data-raw ${quote(JSON.stringify({ jsonrpc: '2.0', ...message }))}`
    return ['curl', quote(redactText(target.url)), ...before, ...own, ...ownHeaders, body].join(' \\\n  ')
  }
  return era === 'modern'
    ? post(modernMessage(form), { headers: modernHeaders(form, input) })
    : writeSession(form, revision, post)
}

type Post = (message: object, options?: { headers?: Headers; before?: readonly string[] }) => string

const messageOf = ({ method, isNotification }: WireForm, params: JsonObject): object =>
  isNotification ? { method, params } : { id: 1, method, params }

function modernMessage(form: WireForm): object {
  const { _meta: meta, ...params } = form.params
  const envelope = {
    ...(isObject(meta) && meta),
    ...clientMeta(CLIENT_INFO),
  }
  return messageOf(form, form.isNotification ? form.params : { ...params, _meta: envelope })
}

function modernHeaders({ method, params }: WireForm, { parts, server }: CopyInput): Headers {
  const name = params.name ?? params.uri ?? params.taskId
  const tools = (parts.inventories.get(server.id, 'tools')?.items ?? []) as readonly Tool[]
  const tool = method === 'tools/call' ? tools.find((item) => item.name === name) : undefined
  const args = isObject(params.arguments) ? params.arguments : {}
  return {
    'mcp-protocol-version': MODERN_VERSION,
    'mcp-method': encodeHeaderValue(method),
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
    ...(tool && paramHeaders(readHeaderParams(tool.inputSchema), args)),
  }
}

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management */
function writeSession(form: WireForm, revision: string, post: Post): string {
  const params = initializeParams(revision, CLIENT_INFO)
  const opened = post({ id: 0, method: 'initialize', params }, { before: ['-s -o /dev/null -D -'] })
  const inSession = { headers: { 'mcp-protocol-version': revision }, before: ['-H "mcp-session-id: $SESSION"'] }
  return [
    `SESSION=$(${opened} | tr -d '\\r' | sed -n 's/^[Mm][Cc][Pp]-[Ss]ession-[Ii]d: //p')`,
    post({ method: 'notifications/initialized' }, inSession),
    post(messageOf(form, form.params), inSession),
  ].join('\n')
}
