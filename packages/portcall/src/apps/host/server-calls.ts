/** The requests of views that are passed to their server. */
import { errorMessage } from '../../../../util/src/errors.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { CALLING_VIEW_META, isVisibleTo } from '../../protocol/apps.ts'
import type { Tool } from '../../protocol/types.ts'
import type { AppCallOptions, AppClient, AppHandlers } from './types.ts'

/** How a request is passed on. */
export interface ServerCallContext {
  /** Aborted when the view cancels the request or is closed. */
  readonly signal: AbortSignal
  /** Sends progress of the request to the view. */
  readonly notify: (method: string, params: JsonObject) => void
}

/** Passes requests to the server of a view. */
export interface ServerCalls {
  /** Calls a tool, if views may. */
  callTool(params: JsonObject, context: ServerCallContext): Promise<JsonObject>
  /** Sends another request. */
  request(method: string, params: JsonObject, context: ServerCallContext): Promise<JsonObject>
}

/** The facts that calls need. */
export interface ServerCallOptions {
  readonly client: AppClient | undefined
  readonly view: string | undefined
  readonly approve: AppHandlers['approve']
}

/** Creates the calls. Tools are listed at the first call, and again when a view names one that is not known. */
export function createServerCalls({ client, view, approve }: ServerCallOptions): ServerCalls {
  let tools: Promise<Tool[]> | undefined
  const connected = (): AppClient => {
    if (!client) throw new RpcError(ErrorCode.methodNotFound, 'The host has no connection to the server of this view')
    return client
  }
  const list = (): Promise<Tool[]> => {
    const listed = connected().tools().toArray()
    tools = listed
    listed.catch(() => {
      if (tools === listed) tools = undefined
    })
    return listed
  }
  const find = async (name: string): Promise<Tool | undefined> =>
    findTool(await (tools ?? list()), name, view) ?? findTool(await list(), name, view)
  const meta = view === undefined ? {} : { [CALLING_VIEW_META]: view }

  return {
    async callTool(params, context) {
      const name = String(params.name)
      const args = isObject(params.arguments) ? params.arguments : {}
      const tool = await passing(() => find(name))
      if (!tool) throw new RpcError(ErrorCode.invalidParams, `The server of this view has no tool ${JSON.stringify(name)}`)
      if (!isVisibleTo(tool, 'app'))
        throw new RpcError(
          ErrorCode.invalidParams,
          `Views may not call ${JSON.stringify(name)}: its visibility does not contain "app"`,
        )
      if (approve && !(await approve({ tool, args, view }))) return refusal()
      const token = isObject(params._meta) ? params._meta.progressToken : undefined
      const options: AppCallOptions = {
        signal: context.signal,
        meta,
        ...(token !== undefined && {
          onProgress: (progress) => context.notify('notifications/progress', { progressToken: token, ...progress }),
        }),
      }
      return passing(async () => ({ ...(await connected().callTool(name, args, options)) }))
    },
    request: (method, params, { signal }) => passing(() => connected().request(method, params, { signal, meta })),
  }
}

/**
 * Finds a tool by its name, or by the name on its server: gateways put a prefix in front, which views do not know. A gateway decides by the view which
 * server is meant. So that a view calls nothing that is not for views, one that may not be called is returned rather than one that may.
 */
function findTool(tools: readonly Tool[], name: string, view: string | undefined): Tool | undefined {
  const exact = tools.find((tool) => tool.name === name)
  if (exact || name === '') return exact
  const prefixed = tools.filter((tool) => tool.name.endsWith(name) && /[^a-z0-9]$/i.test(tool.name.slice(0, -name.length)))
  const server = view === undefined ? undefined : /^ui:\/\/([^/?#]+)/.exec(view)?.[1]
  const own = prefixed.filter((tool) => server !== undefined && tool.name.startsWith(server))
  const candidates = own.length > 0 ? own : prefixed
  return candidates.find((tool) => !isVisibleTo(tool, 'app')) ?? candidates[0]
}

function refusal(): JsonObject {
  return { content: [{ type: 'text', text: 'The user did not approve this call.' }], isError: true }
}

/** Passes errors of the server on. Others are those of the connection. */
async function passing<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (error) {
    if (error instanceof RpcError) throw error
    const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown }
    if (Number.isInteger(code) && typeof message === 'string') throw new RpcError(code as number, message, data)
    throw new RpcError(ErrorCode.internalError, errorMessage(error))
  }
}
