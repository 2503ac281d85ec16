import type { ConnectTarget } from '../connect/target.ts'
import type { Exchange, ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import type { Server } from '../server/types.ts'
import { checkOptions, type OptionNames } from '../util/check-options.ts'
import { GATEWAY_SERVER_NAMES } from './api/check-options.ts'
import type { GatewayServerOptions } from './api/options.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { SELF } from './routes/table.ts'

/** Options of `mount`: those of a server of a gateway, and the prefix. */
export interface MountOptions<P extends string = string>
  extends Omit<GatewayServerOptions, 'target' | 'alias' | 'disabled' | 'required'> {
  /** Comes before the names of tools and prompts, with two underscores: `weather__forecast`. Default: names do not change. */
  readonly prefix?: P
  /** Fails lists of the whole server while this one is not available, instead of leaving it out. Default: false. */
  readonly required?: boolean
  /** The `sealingKeys` of the server, if several processes without shared `stores` serve it. Only the first mount needs them. */
  readonly sealingKeys?: readonly string[]
}

const NAMES: OptionNames<MountOptions> = (() => {
  const { target, alias, disabled, ...server } = GATEWAY_SERVER_NAMES
  return { ...server, prefix: 1, required: 'boolean' as const, sealingKeys: 'texts' as const }
})()
const ADVICE = { alias: 'Use "prefix"', name: 'Use "prefix"' }

/** The types of tools or prompts, with a prefix. */
export type Prefixed<T, P extends string> = { [name in keyof T & string as P extends '' ? name : `${P}__${name}`]: T[name] }

/** A server with the tools, prompts and resources of another one. If the type of the other one has no prompts or resources, any are possible. */
export type MountedServer<S, Other, P extends string> =
  S extends Server<infer T, infer Prompts, infer Uris>
    ? Other extends Server<infer T2, infer Prompts2, infer Uris2>
      ? Server<T & Prefixed<T2, P>, Joined<Prompts, Prompts2, Prefixed<Prompts2, P>>, Joined<Uris, Uris2, Uris2>>
      : Server<T>
    : never

type Joined<Own, Other, Added> = unknown extends Other ? unknown : Own & Added

/** The servers that are mounted on a server. */
interface Mounts {
  readonly gateway: Gateway
  readonly servers: Map<string, GatewayServerOptions>
}

const mountsOf = new WeakMap<object, Mounts>()
/** A list waits as long as the handlers of a server in this process need. */
const LOCAL_LIST_TIMEOUT_MS = 60_000

/**
 * Joins two servers: everything that `other` offers becomes a part of `server`. It may be a server of this process, a client, or anything that
 * a client can connect to. Input requests, progress, notifications and tasks work through a mount, and mounts nest. What `server` registers
 * itself takes precedence. Middleware of `server` also runs for requests to mounted servers.
 *
 * @example
 * const weather = createServer({ name: 'weather', version: '1.0.0' }).tool('forecast', …)
 * const server = mount(createServer({ name: 'assistant', version: '1.0.0' }), weather, { prefix: 'weather' })
 *
 * @throws TypeError if the prefix is taken, or an option is invalid.
 */
export function mount<S extends Server, Other extends Server | ConnectTarget, const P extends string = ''>(
  server: S,
  other: Other,
  options: MountOptions<P> = {},
): MountedServer<S, Other, P> {
  if (typeof (server as Partial<Server> | undefined)?.use !== 'function')
    throw new TypeError('mount(server, other): the first argument must be the server that the other one becomes a part of')
  checkOptions('mount()', options, { names: NAMES, advice: ADVICE })
  if (Object.is(server, other)) throw new TypeError('mount: a server cannot be mounted on itself')
  const { prefix = '', sealingKeys, ...rest } = options
  const mounts = mountsOf.get(server) ?? createMounts(server, sealingKeys)
  const { gateway, servers } = mounts
  const name = prefix === '' ? unusedName(servers) : prefix
  if (servers.has(name)) throw new TypeError(`mount: a server with the prefix ${JSON.stringify(prefix)} is mounted already`)
  const isLocal = typeof other === 'object' && 'exchange' in other
  const added: GatewayServerOptions = {
    sharing: 'shared',
    ...(isLocal && { listTimeoutMs: LOCAL_LIST_TIMEOUT_MS }),
    ...rest,
    alias: prefix,
    target: other,
  }
  servers.set(name, added)
  void gateway.setServers(Object.fromEntries(servers))
  return server as never
}

/** Removes a server that was mounted with a prefix. Calls that are running are finished. Returns whether there was one. */
export async function unmount(server: Server, prefix: string): Promise<boolean> {
  const mounts = mountsOf.get(server)
  if (!mounts?.servers.delete(prefix)) return false
  await mounts.gateway.setServers(Object.fromEntries(mounts.servers))
  return true
}

function unusedName(servers: ReadonlyMap<string, unknown>): string {
  for (let number = 1; ; number++) if (!servers.has(`mount-${number}`)) return `mount-${number}`
}

/** Makes a server answer for the servers that will be mounted on it. */
function createMounts(server: Server, sealingKeys: readonly string[] | undefined): Mounts {
  let own: Exchange | undefined
  const self: GatewayServerOptions = {
    target: { exchange: (request, context) => (own ?? server.exchange)(request, context) },
    alias: '',
    required: true,
    listTimeoutMs: LOCAL_LIST_TIMEOUT_MS,
  }
  const servers = new Map([[SELF, self]])
  const gateway = createGateway({
    servers: Object.fromEntries(servers),
    info: server.info,
    ...(server.stores && { stores: server.stores }),
    ...(sealingKeys && { sealingKeys }),
    onEvent: (event) => void (event.type === 'error' && server.reportError(event.error)),
  })
  server.use(
    (request, context, next) => {
      own = next
      return answer(request, context, { server, own: next, mounted: gateway.exchange })
    },
    { innermost: true, onClose: () => void gateway.close() },
  )
  const mounts = { gateway, servers }
  mountsOf.set(server, mounts)
  return mounts
}

interface Parts {
  readonly server: Server
  readonly own: Exchange
  readonly mounted: Exchange
}

/** Answers a request: the server itself if it concerns what it has registered, and otherwise the mounted servers. */
async function answer(request: Request, context: ExchangeContext, parts: Parts): Promise<Response> {
  const place = PLACES[request.method] ?? placeOfOther
  switch (place(request.params ?? {}, parts.server, request.method)) {
    case 'own':
      return parts.own(request, context)
    case 'elsewhere':
      return parts.mounted(request, context)
    default: {
      const response = await parts.own(request, context)
      return isSuccess(response) ? response : answerElsewhere(request, context, { ...parts, response })
    }
  }
}

/** Asks the mounted servers for what the server does not have. */
async function answerElsewhere(
  request: Request,
  context: ExchangeContext,
  { mounted, response }: Parts & { readonly response: Response },
): Promise<Response> {
  const other = await mounted(request, context)
  return isSuccess(other) ? other : response
}

/** Where an item is. `unknown`: the server has to try. */
type Place = 'own' | 'elsewhere' | 'unknown'

const placeOfName =
  (items: 'tools' | 'prompts') =>
  ({ name }: JsonObject, server: Server): Place =>
    server[items].has(String(name)) ? 'own' : 'elsewhere'

const placeOfUri = (uri: unknown, server: Server): Place => {
  if (server.resources.has(String(uri)) || server.resourceTemplates.has(String(uri))) return 'own'
  return server.resourceTemplates.names().length > 0 ? 'unknown' : 'elsewhere'
}

const everywhere = (): Place => 'elsewhere'

/** The place of what a request concerns, by method. */
const PLACES: { readonly [method: string]: (params: JsonObject, server: Server, method: string) => Place } = {
  'tools/call': placeOfName('tools'),
  'prompts/get': placeOfName('prompts'),
  'resources/read': ({ uri }, server) => placeOfUri(uri, server),
  'completion/complete': ({ ref }, server) => {
    if (!isObject(ref)) return 'own'
    return ref.type === 'ref/prompt' ? placeOfName('prompts')(ref, server) : placeOfUri(ref.uri, server)
  },
  'server/discover': everywhere,
  'tools/list': everywhere,
  'prompts/list': everywhere,
  'resources/list': everywhere,
  'resources/templates/list': everywhere,
  'subscriptions/listen': everywhere,
}

/** Methods of extensions: the server itself may know them. */
function placeOfOther(_params: JsonObject, server: Server, method: string): Place {
  return server.methodOf(method) ? 'unknown' : 'elsewhere'
}
