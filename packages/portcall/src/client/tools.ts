import { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../protocol/errors.ts'
import { type HeaderParam, paramHeaders, readHeaderParams } from '../protocol/header-params.ts'
import type { CallToolResult, Tool } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema } from '../schema/standard.ts'
import { errorMessage } from '../util/errors.ts'
import { assertStringArgument, InvalidResultError } from './errors.ts'
import type { CallOptions, ClientEvent, RequestOptions } from './options.ts'
import type { Requester } from './requester.ts'

/** Calls tools, using the schemas of the tools that were listed before. */
export interface ToolCaller {
  /** Stores the schemas of a listed tool. Returns true. @throws Error if the headers of its arguments cannot be sent. */
  register(tool: Tool): boolean
  /** Sends any request; that of a tool call with the headers that its arguments are repeated in. */
  readonly request: Requester['request']
  call(name: string, args: JsonObject, options: CallOptions): Promise<CallToolResult>
}

export interface ToolCallerOptions {
  readonly requester: Requester
  /** Lists the tools again, bypassing the cache. */
  readonly refresh: () => Promise<unknown>
  /** Whether the transport sends `x-mcp-header` arguments as `Mcp-Param-*` headers. */
  readonly sendsParamHeaders: () => boolean
  readonly onEvent: (event: ClientEvent) => void
}

interface RegisteredTool {
  readonly headerParams: readonly HeaderParam[]
  readonly outputSchema: JsonObject | undefined
  /** The compiled output schema; the member is absent until first use. */
  output?: CompiledSchema | undefined
}

export function createToolCaller({ requester, refresh, sendsParamHeaders, onEvent }: ToolCallerOptions): ToolCaller {
  const tools = new Map<string, RegisteredTool>()
  const warn = (message: string): void => onEvent({ type: 'warning', message })

  const send = (params: JsonObject, options?: RequestOptions): Promise<JsonObject> => {
    const { headerParams = [] } = tools.get(params.name as string) ?? {}
    const args = params.arguments as JsonObject | undefined
    const withHeaders =
      headerParams.length > 0 ? { ...options, headers: { ...paramHeaders(headerParams, args), ...options?.headers } } : options
    return requester.request('tools/call', params, withHeaders)
  }
  /** A header mismatch means that the tool's schema is unknown or has changed: the tools are listed, and the call is sent once more. */
  const sendWithRefresh = (params: JsonObject, options?: RequestOptions): Promise<JsonObject> =>
    send(params, options).catch(async (error: unknown) => {
      if (!(error instanceof RpcError) || error.code !== ProtocolErrorCode.headerMismatch) throw error
      await refresh()
      return send(params, options)
    })
  const request: Requester['request'] = (method, params = {}, options) =>
    method === 'tools/call' && sendsParamHeaders() ? sendWithRefresh(params, options) : requester.request(method, params, options)

  const outputOf = (name: string): CompiledSchema | undefined => {
    const tool = tools.get(name)
    if (!tool?.outputSchema || 'output' in tool) return tool?.output
    try {
      tool.output = compileSchema(tool.outputSchema, 'output', { trusted: false }) as CompiledSchema
    } catch (error) {
      tool.output = undefined
      warn(`Results of the tool ${name} are not validated: ${errorMessage(error)}`)
    }
    return tool.output
  }

  return {
    request,
    register(tool) {
      const { name, inputSchema, outputSchema } = tool
      let headerParams: readonly HeaderParam[] = []
      try {
        headerParams = readHeaderParams(inputSchema ?? {})
      } catch (error) {
        if (!sendsParamHeaders()) return true
        tools.delete(name)
        throw error
      }
      tools.set(name, { headerParams, outputSchema })
      return true
    },
    async call(name, args, options) {
      assertStringArgument(name, 'callTool(name, arguments)')
      const raw = await request('tools/call', { name, arguments: args }, options)
      const result = (Array.isArray(raw.content) ? raw : { ...raw, content: [] }) as JsonObject & CallToolResult
      const output = outputOf(name)
      return output && !result.isError ? validate(name, result, output) : result
    },
  }
}

async function validate(name: string, result: CallToolResult, output: CompiledSchema): Promise<CallToolResult> {
  if (!('structuredContent' in result))
    throw new InvalidResultError(`The tool ${name} has an output schema, but its result has no structuredContent`)
  const { issues } = await output.parse(result.structuredContent)
  if (issues) throw new InvalidResultError(`The structuredContent of the tool ${name} does not match its output schema`, issues)
  return result
}
