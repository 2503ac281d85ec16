import { delay } from '../../../../util/src/timers.ts'
import type { ExchangeContext, Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response, success } from '../../jsonrpc/message.ts'
import { signInRequest } from './sign-in-middleware.ts'
import type { AccountId, AccountSignIns } from './sign-ins.ts'

export interface ConnectToolOptions {
  readonly name: string
  readonly servers: readonly string[]
  readonly signIns: AccountSignIns
  readonly urlOf: (link: string) => string
  readonly accountOf: (server: string, context: ExchangeContext) => AccountId | undefined
  readonly isConnected: (account: AccountId) => Promise<boolean>
}

/** Timeout of finding the authorization server of a server, in milliseconds. */
const OFFER_TIMEOUT_MS = 10_000
const POLLING_DELAY_MS = 100

/**
 * Creates middleware that adds a tool while the caller has not signed in to all servers: the tools of a server cannot be listed before sign-in.
 */
export function createConnectTool(options: ConnectToolOptions): Middleware {
  const { name, servers, accountOf, isConnected } = options
  const missingServers = async (context: ExchangeContext): Promise<string[]> => {
    const accounts = servers.flatMap((server) => accountOf(server, context) ?? [])
    const connected = await Promise.all(accounts.map(isConnected))
    return accounts.flatMap(({ server }, at) => (connected[at] ? [] : [server]))
  }
  return async (request, context, next) => {
    if (request.method === 'tools/call' && request.params?.name === name) return callTool(request, context, { ...options, next })
    const response = await next(request, context)
    if (request.method !== 'tools/list' || !isSuccess(response) || response.result.nextCursor !== undefined) return response
    const missing = await missingServers(context)
    return missing.length === 0 ? response : { ...response, result: addTool(response.result, defineTool(name, missing)) }
  }
}

function defineTool(name: string, servers: readonly string[]): JsonObject {
  return {
    name,
    title: 'Connect an account',
    description: `Asks the user to sign in to a server, whose tools are available afterwards. Not connected: ${servers.join(', ')}.`,
    inputSchema: {
      type: 'object',
      properties: { server: { type: 'string', enum: servers, description: 'The server to sign in to.' } },
      required: ['server'],
    },
  }
}

/** The tool depends on the caller and goes away, so the list must not be cached. */
function addTool(result: JsonObject, tool: JsonObject): JsonObject {
  const tools = Array.isArray(result.tools) ? result.tools : []
  return { ...result, tools: [...tools, tool], ttlMs: 0, cacheScope: 'private' }
}

interface ToolContext extends ConnectToolOptions {
  readonly next: Parameters<Middleware>[2]
}

async function callTool(request: Request, context: ExchangeContext, options: ToolContext): Promise<Response> {
  const { servers, signIns, urlOf, accountOf, isConnected, next } = options
  const args = isObject(request.params?.arguments) ? request.params.arguments : {}
  const server = typeof args.server === 'string' ? args.server : ''
  const account = accountOf(server, context)
  if (!account) return textResult(request, `There is no such account. The servers are: ${servers.join(', ')}.`, true)
  // Listing opens a connection to the server, which asks for the sign-in.
  const meta = isObject(request.params?._meta) ? { _meta: request.params._meta } : {}
  await next({ ...request, method: 'tools/list', params: meta }, context)
  for (const startedAt = performance.now(); ; await delay(POLLING_DELAY_MS, context.signal)) {
    const signIn = await signIns.current(account)
    if (signIn) {
      const inputRequests = signInRequest(signIn, urlOf(signIn.link))
      return success(request.id, { resultType: 'input_required', inputRequests, requestState: server })
    }
    if (await isConnected(account))
      return textResult(request, `${server} is connected. List the tools again to see its tools.`, false)
    if (performance.now() - startedAt > OFFER_TIMEOUT_MS)
      return textResult(request, `${server} did not ask for a sign-in. It may not be available now.`, true)
  }
}

function textResult({ id }: Request, text: string, isError: boolean): Response {
  return success(id, { resultType: 'complete', content: [{ type: 'text', text }], ...(isError && { isError }) })
}
