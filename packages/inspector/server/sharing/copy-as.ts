import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { quote } from '../../../util/src/quote.ts'
import type { BackendParts } from '../backend-parts.ts'
import type { OperationRequest } from '../protocol/operations.ts'
import type { InspectorTarget } from '../protocol/servers.ts'
import type { CopyFormat } from '../protocol/sharing.ts'
import type { InspectorCommands } from '../protocol.ts'
import type { ManagedServer } from '../servers/managed-server.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { isSecretValue, schemeOf } from '../wire/mask.ts'
import { writeTest, writeTypeScript } from './code.ts'
import { writeCurl } from './curl.ts'
import { redactText } from './redact.ts'
import { type CopyInput, wireForm } from './wire-form.ts'

type CopyResult = Omit<InspectorCommands['copy-as']['result'], 'note'>

const WRITERS: { readonly [Format in CopyFormat]: (input: CopyInput) => CopyResult } = {
  curl: (input) => ({ text: writeCurl(input, headersOf(input)), language: 'shell' }),
  portcall: (input) => ({ text: writeCommand(input), language: 'shell' }),
  typescript: (input) => ({ text: writeTypeScript(input), language: 'typescript' }),
  test: (input) => ({ text: writeTest(input), language: 'typescript' }),
  'host-entry': writeHostEntry,
}

/** Writes a request, or a server, as text for another tool. Secrets become variables. */
export function copyAs(
  { format, source, host }: InspectorCommands['copy-as']['params'],
  parts: BackendParts,
): InspectorCommands['copy-as']['result'] {
  const write = Object.hasOwn(WRITERS, format) ? WRITERS[format] : undefined
  if (!write) throw new InspectorCommandError('INVALID_PARAMS', `There is no format ${format}`)
  const names = new Set<string>()
  const secret = (name: string): string => {
    const variable = /^authorization$/i.test(name) ? 'TOKEN' : name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
    names.add(variable)
    return variable
  }
  const result = write({ ...readSource(source, parts), parts, host, secret })
  return names.size === 0 ? result : { ...result, note: `Set ${[...names].join(', ')}: secrets are not copied.` }
}

function readSource(
  source: InspectorCommands['copy-as']['params']['source'],
  { servers, timeline }: BackendParts,
): Pick<CopyInput, 'server' | 'request' | 'options'> {
  if ('entryId' in source) {
    const stored = timeline.get(source.entryId)
    if (stored?.entry.type !== 'message' || stored.entry.messageKind !== 'request' || stored.entry.direction !== 'out')
      throw new InspectorCommandError('INVALID_PARAMS', 'Only requests of the inspector can be copied')
    const message: unknown = JSON.parse(stored.details.text ?? stored.entry.text)
    const params = isObject(message) && isObject(message.params) ? message.params : {}
    const method = stored.entry.method ?? ''
    const request: OperationRequest = { type: 'request', method, params: withoutMeta(params), untranslated: true }
    return { server: servers.get(stored.entry.serverId), request, options: {} }
  }
  const request = 'request' in source ? source.request : ({ type: 'discover' } as const)
  return { server: servers.get(source.serverId), request, options: ('options' in source && source.options) || {} }
}

function withoutMeta({ _meta, ...params }: JsonObject): JsonObject {
  const own = isObject(_meta)
    ? Object.entries(_meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/') && key !== 'progressToken')
    : []
  return own.length === 0 ? params : { ...params, _meta: Object.fromEntries(own) }
}

const headersOf = (input: CopyInput): string[] =>
  Object.entries(input.server.settings.headers ?? {}).map(([name, value]) => header(name, value, input))

function header(name: string, value: string, { secret }: CopyInput): string {
  if (!isSecretValue(name, value)) return `-H ${quote(`${name}: ${value}`)}`
  const scheme = schemeOf(value)
  return `-H "${name}: ${scheme}$${secret(name)}"`
}

/** The command that does the same: a server, and `raw` or a friendlier command. */
function writeCommand(input: CopyInput): string {
  const { request } = input
  const before: string[] = []
  const after: string[] = []
  const { target, settings } = input.server
  if (target.kind === 'url') before.push(quote(redactText(target.url)))
  if (target.kind === 'module') before.push(quote(target.path))
  if (target.kind === 'config') before.push(quote(`${target.path}:${target.name}`))
  if (target.kind === 'program') after.push('--', ...[target.command, ...target.args].map((word) => quote(redactText(word))))
  const options = [...headersOf(input), ...(settings.cwd === undefined ? [] : ['--cwd', quote(settings.cwd)])]
  const env = Object.entries(settings.env ?? {}).map(([name, value]) =>
    isSecretValue(name, value) ? `-e ${name}="$${input.secret(name)}"` : `-e ${quote(`${name}=${value}`)}`,
  )
  const pin = settings.revision === undefined ? [] : ['--protocol-version', settings.revision]
  const { method, params } = wireForm(input)
  const as = request.type === 'notify' ? ['--notification'] : isUntranslated(input) ? ['--untranslated'] : []
  const raw = ['raw', ...before, quote(method), ...argumentWords(params), ...as]
  const isCall = request.type === 'call-tool' && !input.options.meta && Object.keys(request.arguments).every(isArgumentName)
  const words = isCall ? ['call', ...before, quote(request.name), ...argumentWords(request.arguments)] : raw
  return ['portcall', ...words, ...options, ...env, ...pin, ...after].join(' ')
}

const isUntranslated = ({ request, server }: CopyInput): boolean =>
  request.type === 'request' && request.untranslated === true && server.state.negotiation?.era !== 'modern'

/** Reports whether a name can be written as `name:=json`. */
const isArgumentName = (name: string): boolean => /^[^=:@-][^=:]*$/.test(name)

const argumentWords = (values: JsonObject): string[] =>
  Object.entries(values).map(([name, value]) => quote(`${name}:=${JSON.stringify(value)}`))

function writeHostEntry({ server, parts, host, secret }: CopyInput): CopyResult {
  const entry = entryOf(server.target, server, secret)
  const write = parts.options.writeHostEntry
  if (host !== undefined && write) return write(host, { name: server.state.name, entry })
  return { text: `${JSON.stringify({ mcpServers: { [server.state.name]: entry } }, null, 2)}\n`, language: 'json' }
}

function entryOf(target: InspectorTarget, { settings }: ManagedServer, secret: CopyInput['secret']): JsonObject {
  const hide = (values: Readonly<Record<string, string>> = {}): JsonObject =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, isSecretValue(name, value) ? `\${${secret(name)}}` : value]),
    )
  const headers = hide(settings.headers)
  const env = hide(settings.env)
  if (target.kind === 'url') return { url: redactText(target.url), ...(Object.keys(headers).length > 0 && { headers }) }
  const extra = { ...(Object.keys(env).length > 0 && { env }), ...(settings.cwd !== undefined && { cwd: settings.cwd }) }
  if (target.kind === 'program') return { command: target.command, args: target.args.map(redactText), ...extra }
  if (target.kind === 'module') return { command: 'npx', args: ['portcall', 'serve', target.path, '--stdio'], ...extra }
  throw new InspectorCommandError('INVALID_PARAMS', 'This server is in a configuration already')
}
