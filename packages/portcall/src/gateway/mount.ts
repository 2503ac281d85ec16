import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import type { ConnectTarget } from '../connect/target.ts'
import { copySharedResults, type Exchange, type ExchangeContext } from '../jsonrpc/exchange.ts'
import { isObject, isSuccess, type JsonObject, type Request, type Response } from '../jsonrpc/message.ts'
import { EventMethod } from '../protocol/events.ts'
import type { Server } from '../server/types.ts'
import { checkUpstream, GATEWAY_SERVER_NAMES } from './api/check-options.ts'
import type { GatewayServerOptions } from './api/options.ts'
import { SELF } from './api/self.ts'
import { createGateway, type Gateway } from './gateway.ts'

/** Options of `mount`: those of a server of a gateway, and the prefix. */
export interface MountOptions<P extends string = string>
  extends Omit<GatewayServerOptions, 'target' | 'alias' | 'disabled' | 'required'> {
  /** Comes before the names of tools, prompts and event types, with two underscores: `weather__forecast`. Default: names do not change. */
  readonly prefix?: P
  /** Fails lists of the whole server while this one is not available, instead of leaving it out. Default: false. */
  readonly required?: boolean
  /** The `sealingKeys` of the server, if several processes without shared `stores` serve it. Only the first mount needs them. */
  readonly sealingKeys?: readonly string[]
}

const NAMES: OptionNames<MountOptions> = (() => {
  const { target, alias, disabled, ...server } = GATEWAY_SERVER_NAMES
  return { ...server, prefix: 'text' as const, required: 'boolean' as const, sealingKeys: 'texts' as const }
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
  checkUpstream('mount()', { ...rest, target: other })
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
  let registered: Exchange | undefined
  const self: GatewayServerOptions = {
    target: { exchange: (request, context) => (registered ?? server.exchange)(request, context) },
    alias: '',
    required: true,
    listTimeoutMs: LOCAL_LIST_TIMEOUT_MS,
  }
  const servers = new Map([[SELF, self]])
  const gateway = createGateway({
    servers: Object.fromEntries(servers),
    info: server.info,
    ...withoutUndefined({ stores: server.stores, sealingKeys }),
    onEvent: (event) => void (event.type === 'error' && server.reportError(event.error)),
  })
  // Middleware of the server may change results.
  const mounted = copySharedResults(gateway.exchange)
  server.use(
    (request, context, next) => {
      registered = next
      return answer(request, context, { server, registered: next, mounted })
    },
    { innermost: true, onClose: () => void gateway.close() },
  )
  const mounts = { gateway, servers }
  mountsOf.set(server, mounts)
  return mounts
}

interface MountContext {
  readonly server: Server
  /** Answers with the items that the server has registered itself. */
  readonly registered: Exchange
  /** Answers with the items of all servers. */
  readonly mounted: Exchange
}

/** Answers a request: the server itself if it concerns a registered item, and otherwise the mounted servers. */
async function answer(request: Request, context: ExchangeContext, mount: MountContext): Promise<Response> {
  const findOwner = OWNERS[request.method] ?? ownerOfOther
  switch (findOwner(request.params ?? {}, mount.server, request.method)) {
    case 'server':
      return mount.registered(request, context)
    case 'mounted':
      return mount.mounted(request, context)
    default: {
      const response = await mount.registered(request, context)
      return isSuccess(response) ? response : forward(request, context, { ...mount, response })
    }
  }
}

/** Asks the mounted servers for an item that the server does not have. */
async function forward(
  request: Request,
  context: ExchangeContext,
  { mounted, response }: MountContext & { readonly response: Response },
): Promise<Response> {
  const other = await mounted(request, context)
  return isSuccess(other) ? other : response
}

/** The owner of an item. `unknown`: the server has to try. */
type Owner = 'server' | 'mounted' | 'unknown'

const ownerOfName =
  (items: 'tools' | 'prompts') =>
  ({ name }: JsonObject, server: Server): Owner =>
    server[items].has(String(name)) ? 'server' : 'mounted'

const ownerOfUri = (uri: unknown, server: Server): Owner => {
  if (server.resources.has(String(uri)) || server.resourceTemplates.has(String(uri))) return 'server'
  return server.resourceTemplates.names().length > 0 ? 'unknown' : 'mounted'
}

const alwaysForward = (): Owner => 'mounted'

/** The owner of the item that a request concerns, by method. */
const OWNERS: { readonly [method: string]: (params: JsonObject, server: Server, method: string) => Owner } = {
  'tools/call': ownerOfName('tools'),
  'prompts/get': ownerOfName('prompts'),
  'resources/read': ({ uri }, server) => ownerOfUri(uri, server),
  'completion/complete': ({ ref }, server) => {
    if (!isObject(ref)) return 'server'
    return ref.type === 'ref/prompt' ? ownerOfName('prompts')(ref, server) : ownerOfUri(ref.uri, server)
  },
  'server/discover': alwaysForward,
  'tools/list': alwaysForward,
  'prompts/list': alwaysForward,
  'resources/list': alwaysForward,
  'resources/templates/list': alwaysForward,
  'subscriptions/listen': alwaysForward,
  [EventMethod.list]: alwaysForward,
}

/** Methods of extensions: the server itself may know them. */
function ownerOfOther(_params: JsonObject, server: Server, method: string): Owner {
  return server.methodOf(method) ? 'unknown' : 'mounted'
}
