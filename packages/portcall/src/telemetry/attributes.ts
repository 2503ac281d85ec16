import type { Attributes } from '@opentelemetry/api'
import { setLru } from '../../../util/src/lru.ts'
import type { ConnectionInfo, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type Request, type RequestId, type Response } from '../jsonrpc/message.ts'
import type { Outcome, RequestOrigin, TracedOperation } from '../logging/operation.ts'
import { redactSecrets } from '../logging/redact.ts'
import type { RecordedValue, TelemetryOptions } from './options.ts'

/** The attributes of spans and metrics. https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md */
export const Attribute = {
  method: 'mcp.method.name',
  protocolVersion: 'mcp.protocol.version',
  sessionId: 'mcp.session.id',
  resourceUri: 'mcp.resource.uri',
  requestId: 'jsonrpc.request.id',
  errorType: 'error.type',
  statusCode: 'rpc.response.status_code',
  operation: 'gen_ai.operation.name',
  tool: 'gen_ai.tool.name',
  prompt: 'gen_ai.prompt.name',
  /** The prefix of the arguments of a prompt. */
  promptVariable: 'gen_ai.prompt.variable.',
  arguments: 'gen_ai.tool.call.arguments',
  result: 'gen_ai.tool.call.result',
  transport: 'network.transport',
  protocolName: 'network.protocol.name',
  httpVersion: 'network.protocol.version',
  serverAddress: 'server.address',
  serverPort: 'server.port',
  clientAddress: 'client.address',
  clientPort: 'client.port',
  /** Not part of the conventions: the task of a run. */
  taskId: 'portcall.task.id',
  /** Not part of the conventions: the type of a result that is not complete, `input_required` or `task`. */
  resultType: 'portcall.result.type',
  /** Not part of the conventions: the server that a gateway forwards a request to. */
  gatewayServer: 'portcall.gateway.server',
} as const

const TARGET_ATTRIBUTES = { tool: Attribute.tool, prompt: Attribute.prompt, resource: Attribute.resourceUri } as const

/** Returns the attributes that name an operation, for spans and metrics. */
export function operationAttributes({ method, kind, target }: TracedOperation): Attributes {
  const attributes: Attributes = { [Attribute.method]: method }
  if (kind && target !== undefined) attributes[TARGET_ATTRIBUTES[kind]] = target
  if (kind === 'tool') attributes[Attribute.operation] = 'execute_tool'
  return attributes
}

/** Returns the attributes in the order of their keys: the SDK sorts the keys of each measurement, which is faster if they are sorted. */
export function sortAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1)))
}

/** A connection as telemetry sees it: of a client, or of a request that a server received. */
type TracedConnection = Pick<ConnectionInfo, 'transport' | 'url' | 'protocolVersion' | 'httpVersion'>

/** The attributes of each transport. */
const TRANSPORTS: { readonly [transport in RequestOrigin['transport']]: Attributes } = {
  http: { [Attribute.transport]: 'tcp', [Attribute.protocolName]: 'http' },
  stdio: { [Attribute.transport]: 'pipe' },
  memory: {},
}

/** Attributes of connections. Similar connections share one object, which must not be changed. */
export interface ConnectionAttributes {
  /** Returns the attributes of a connection, for spans and metrics. */
  of(connection: TracedConnection): Attributes
}

const MAX_CONNECTIONS = 1000

/** Creates the attributes of connections. `common` are those of all of them. */
export function createConnectionAttributes(common: Attributes = {}): ConnectionAttributes {
  const cache = new Map<string, Attributes>()
  const find = ({ transport, url, protocolVersion, httpVersion }: TracedConnection): Attributes => {
    const key = `${transport} ${protocolVersion} ${httpVersion} ${url?.origin ?? ''}`
    const cached = cache.get(key)
    if (cached) return cached
    const attributes: Attributes = { ...common, ...TRANSPORTS[transport], ...(url && addressOf(url)) }
    if (protocolVersion) attributes[Attribute.protocolVersion] = protocolVersion
    if (httpVersion) attributes[Attribute.httpVersion] = httpVersion
    setLru(cache, [key, attributes], MAX_CONNECTIONS)
    return attributes
  }
  // Most requests come from a connection like that of the one before.
  let last: TracedConnection = { transport: 'memory', protocolVersion: '' }
  let lastAttributes = find(last)
  return {
    of(connection) {
      const { transport, url, protocolVersion, httpVersion } = connection
      const isSame = transport === last.transport && protocolVersion === last.protocolVersion && httpVersion === last.httpVersion
      if (isSame && url === last.url) return lastAttributes
      last = { transport, protocolVersion, httpVersion, ...(url && { url }) }
      return (lastAttributes = find(connection))
    },
  }
}

function addressOf({ hostname, port, protocol }: URL): Attributes {
  return {
    [Attribute.serverAddress]: hostname,
    [Attribute.serverPort]: Number(port || (protocol === 'https:' ? 443 : 80)),
  }
}

/** Returns the attributes of the span of a request that a server received, besides those of its operation and its connection. */
export function receivedAttributes(id: RequestId, { sessionId }: RequestOrigin, { http }: ExchangeContext): Attributes {
  const attributes: Attributes = { [Attribute.requestId]: String(id) }
  if (sessionId) attributes[Attribute.sessionId] = sessionId
  const address = http?.remoteAddress
  if (address) attributes[Attribute.clientAddress] = address
  const port = http?.remotePort
  if (address && port) attributes[Attribute.clientPort] = port
  return attributes
}

/** Returns the attributes of an outcome, for spans and metrics. */
export function outcomeAttributes({ errorType, code }: Outcome): Attributes {
  const attributes: Attributes = {}
  if (errorType !== undefined) attributes[Attribute.errorType] = errorType
  if (code !== undefined) attributes[Attribute.statusCode] = String(code)
  return attributes
}

/** Returns the attributes of recorded arguments and results. Nothing is recorded unless the options say so. */
export interface PayloadRecorder {
  argumentsOf(request: Request): Attributes
  resultOf(request: Request, response: Response): Attributes
}

const NOTHING: Attributes = {}

/** Creates the recorder of the arguments of tool calls and prompts, and of the results of tool calls. */
export function createPayloadRecorder(options: TelemetryOptions): PayloadRecorder {
  const { recordArguments = false, recordResults = false, redact = redactSecrets() } = options
  const record = (key: string, value: unknown, { kind, request }: RecordedPayload): Attributes => {
    try {
      const text = JSON.stringify(redact(value, kind, request))
      return text === undefined ? NOTHING : { [key]: text }
    } catch {
      return NOTHING
    }
  }
  const recordVariables = (request: Request): Attributes => {
    try {
      const variables = redact(request.params?.arguments, 'arguments', request)
      if (!isObject(variables)) return NOTHING
      const entries = Object.entries(variables)
      return Object.fromEntries(entries.map(([name, value]) => [Attribute.promptVariable + name, textOf(value)]))
    } catch {
      return NOTHING
    }
  }
  return {
    argumentsOf(request) {
      if (!recordArguments || request.params?.arguments === undefined) return NOTHING
      if (request.method === 'prompts/get') return recordVariables(request)
      if (request.method !== 'tools/call') return NOTHING
      return record(Attribute.arguments, request.params.arguments, { kind: 'arguments', request })
    },
    resultOf(request, response) {
      if (!recordResults || request.method !== 'tools/call' || !isSuccess(response)) return NOTHING
      const { content, structuredContent, isError, resultType } = response.result
      if (isError === true || resultType === 'input_required') return NOTHING
      return record(Attribute.result, structuredContent ?? { content }, { kind: 'result', request })
    },
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

interface RecordedPayload {
  readonly kind: RecordedValue
  readonly request: Request
}
