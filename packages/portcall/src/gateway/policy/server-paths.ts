import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { closestName } from '../../../../util/src/closest-name.ts'
import { pathOf } from '../../../../util/src/request-target.ts'
import { ErrorCode, RpcError } from '../../jsonrpc/errors.ts'
import { deriveContext, type ExchangeContext, type Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, type Request } from '../../jsonrpc/message.ts'
import { type ItemSelection, selectItems } from './item-selection.ts'

/** Options of `serverPaths`. */
export interface ServerPathsOptions {
  /** The names of the servers that have a path. */
  readonly servers: readonly string[]
  /** The path of the endpoint. Default: `/mcp`. */
  readonly path?: string
}

/** The folder below the endpoint that has the paths of servers. */
const FOLDER = 'servers'
const NAMES: OptionNames<ServerPathsOptions> = { servers: 'texts', path: 'text' }
const REQUIRED = { servers: 'Pass the names of the servers' }

/** Returns the path at which `serverPaths` offers a server, given the path of the endpoint: `/mcp/servers/NAME`. */
export function serverPathOf(path: string, server: string): string {
  return `${path.replace(/\/$/, '')}/${FOLDER}/${encodeURIComponent(server)}`
}

/**
 * Creates middleware that offers each server of a gateway by itself at a path below the endpoint: `/mcp/servers/NAME`. Names do not change, and what
 * belongs to other servers does not exist there. Serve the gateway with the path `/mcp/*`. A path is not a secret: use rules to decide what callers
 * may do.
 *
 * @throws TypeError if an option is invalid.
 *
 * @example
 * const gateway = createGateway({ servers, middleware: [serverPaths({ servers: Object.keys(servers) })] })
 * await serve(gateway, { path: '/mcp/*' })
 */
export function serverPaths(options: ServerPathsOptions): Middleware {
  checkOptions('serverPaths()', options, { names: NAMES, required: REQUIRED })
  const { servers, path = '/mcp' } = options
  const byPath = new Map(servers.map((server) => [serverPathOf(path, server), server]))
  const folder = serverPathOf(path, '')
  return (request, context, next) => {
    const actual = context.http?.target === undefined ? '' : pathOf(context.http.target)
    if (!actual.startsWith(folder)) return next(request, context)
    const server = byPath.get(actual.replace(/\/$/, ''))
    if (server !== undefined) return next(selectServer(request, server), atEndpoint(context, path))
    const hint = closestName(actual.slice(folder.length), servers)
    const suggestion = hint === undefined ? '' : `; did you mean ${hint}?`
    throw new RpcError(ErrorCode.methodNotFound, `There is no server at this path${suggestion}`)
  }
}

function selectServer(request: Request, server: string): Request {
  const meta = isObject(request.params?._meta) ? request.params._meta : {}
  const selection: ItemSelection = { keeps: () => true, mayKeep: () => true, server }
  return { ...request, params: { ...request.params, _meta: selectItems(meta, selection) } }
}

/** Returns the context of a request to the endpoint itself: middleware behind this one has other paths. */
function atEndpoint(context: ExchangeContext, path: string): ExchangeContext {
  const { http } = context
  return http ? deriveContext(context, { http: { ...http, target: path, header: (name) => http.header(name) } }) : context
}
