import { errorMessage } from '../../../util/src/errors.ts'
import { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../protocol/errors.ts'
import { type HeaderParam, paramHeaders, readHeaderParams } from '../protocol/header-params.ts'
import type { CallToolResult, Tool } from '../protocol/types.ts'
import type { Issue } from '../schema/standard.ts'
import { assertObjectArgument, assertStringArgument } from './errors.ts'
import type { CallOptions, ClientEvent, RequestOptions } from './options.ts'
import { createOutputValidator, type OutputValidation, type OutputValidator } from './output-validation.ts'
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
  /** Reports whether the transport sends `x-mcp-header` arguments as `Mcp-Param-*` headers. */
  readonly sendsParamHeaders: () => boolean
  readonly outputValidation: OutputValidation
  readonly onEvent: (event: ClientEvent) => void
}

interface RegisteredTool {
  readonly headerParams: readonly HeaderParam[]
  readonly outputSchema: JsonObject | undefined
  /** Validates results; the member is absent until first use. */
  validate?: OutputValidator | undefined
}

export function createToolCaller(options: ToolCallerOptions): ToolCaller {
  const { requester, refresh, sendsParamHeaders, outputValidation, onEvent } = options
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

  const validatorOf = (name: string): OutputValidator | undefined => {
    const tool = tools.get(name)
    if (outputValidation === 'off' || !tool?.outputSchema) return undefined
    if ('validate' in tool) return tool.validate
    try {
      const onMismatch = (issues: readonly Issue[]): void => onEvent({ type: 'output-mismatch', tool: name, issues })
      tool.validate = createOutputValidator({ tool: name, schema: tool.outputSchema, mode: outputValidation, onMismatch })
    } catch (error) {
      tool.validate = undefined
      warn(`Results of the tool ${name} are not validated: ${errorMessage(error)}`)
    }
    return tool.validate
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
      assertObjectArgument(args, 'callTool(name, arguments)')
      const raw = await request('tools/call', { name, arguments: args }, options)
      const result = (Array.isArray(raw.content) ? raw : { ...raw, content: [] }) as JsonObject & CallToolResult
      const validate = result.isError ? undefined : validatorOf(name)
      return validate ? validate(result) : result
    },
  }
}
