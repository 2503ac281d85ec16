import { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { ProtocolErrorCode } from '../protocol/errors.ts'
import { type HeaderParam, paramHeaders, readHeaderParams } from '../protocol/header-params.ts'
import type { CallToolResult, Tool } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema } from '../schema/standard.ts'
import type { Caller } from './call.ts'
import { InvalidResult } from './errors.ts'
import type { CallOptions, ClientEvent } from './options.ts'

/** What a client knows about the tools that it has seen in lists, and how it calls them. */
export interface Toolbox {
  /** Takes a tool of a list in; tells whether it can be used. */
  admit(tool: Tool): boolean
  call(name: string, args: JsonObject, options: CallOptions): Promise<CallToolResult>
}

export interface ToolboxOptions {
  readonly caller: Caller
  /** Lists the tools anew, past any cache. */
  readonly refresh: () => Promise<unknown>
  /** Whether arguments have to be mirrored in headers on the way to this server. */
  readonly mirrors: () => boolean
  readonly onEvent: (event: ClientEvent) => void
}

interface Known {
  readonly headerParams: readonly HeaderParam[]
  readonly outputSchema: JsonObject | undefined
  output?: CompiledSchema | undefined
}

export function createToolbox({ caller, refresh, mirrors, onEvent }: ToolboxOptions): Toolbox {
  const known = new Map<string, Known>()
  const warn = (message: string): void => onEvent({ type: 'warning', message })

  const send = (name: string, args: JsonObject, options: CallOptions): Promise<JsonObject> => {
    const headerParams = mirrors() ? (known.get(name)?.headerParams ?? []) : []
    const given =
      headerParams.length > 0 ? { ...options, headers: { ...paramHeaders(headerParams, args), ...options.headers } } : options
    return caller.request('tools/call', { name, arguments: args }, given)
  }
  /** When the server says that headers and body differ, the tool has changed: it is listed anew, and called again. */
  const sendMirrored = (name: string, args: JsonObject, options: CallOptions): Promise<JsonObject> =>
    send(name, args, options).catch(async (error: unknown) => {
      if (!(error instanceof RpcError) || error.code !== ProtocolErrorCode.headerMismatch) throw error
      await refresh()
      return send(name, args, options)
    })

  const outputOf = (name: string): CompiledSchema | undefined => {
    const tool = known.get(name)
    if (!tool?.outputSchema || 'output' in tool) return tool?.output
    try {
      tool.output = compileSchema(tool.outputSchema, 'output', { trusted: false }) as CompiledSchema
    } catch (error) {
      tool.output = undefined
      warn(`The results of the tool ${name} cannot be checked: ${error instanceof Error ? error.message : String(error)}`)
    }
    return tool.output
  }

  return {
    admit(tool) {
      const { name, inputSchema, outputSchema } = tool
      let headerParams: readonly HeaderParam[] = []
      try {
        headerParams = readHeaderParams(inputSchema ?? {})
      } catch (error) {
        if (!mirrors()) return true
        warn(`The tool ${name} is left out: ${error instanceof Error ? error.message : String(error)}`)
        known.delete(name)
        return false
      }
      known.set(name, { headerParams, outputSchema })
      return true
    },
    async call(name, args, options) {
      const result = await (mirrors() ? sendMirrored : send)(name, args, options)
      const called = (Array.isArray(result.content) ? result : { ...result, content: [] }) as JsonObject & CallToolResult
      const output = outputOf(name)
      return output && !called.isError ? checked(name, called, output) : called
    },
  }
}

async function checked(name: string, called: CallToolResult, output: CompiledSchema): Promise<CallToolResult> {
  if (!('structuredContent' in called))
    throw new InvalidResult(`The tool ${name} has an output schema, but its result has no structuredContent`)
  const parsed = await output.parse(called.structuredContent)
  if (parsed.issues)
    throw new InvalidResult(`The structuredContent of the tool ${name} does not fit its output schema`, parsed.issues)
  return called
}
