import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import type { ExchangeContext, Middleware } from '../../jsonrpc/exchange.ts'
import { isObject, type Request } from '../../jsonrpc/message.ts'
import { markRefused, refusedBy } from '../../jsonrpc/refusal.ts'
import { type ConcurrencyLimitOptions, concurrencyLimit } from '../../middleware/concurrency-limit.ts'
import { type RateLimitOptions, rateLimit } from '../../middleware/rate-limit.ts'
import { resultSizeLimit } from '../../middleware/result-size-limit.ts'
import type { RequestSelection } from '../../middleware/selection.ts'
import { timeLimit } from '../../middleware/time-limit.ts'
import { createMemoryStore } from '../../stores/memory/store.ts'
import type { KeyValueStore } from '../../stores/store.ts'
import { createRuleMatcher } from './match-rule.ts'
import { type AccessRule, type CallerCondition, checkRule } from './rule.ts'
import type { GatewayItem, GatewayPolicy } from './types.ts'

/** The key that calls are counted by. */
export type LimitKey = 'principal' | 'server' | 'item'

/** A limit of `callLimits`. It applies to the calls, reads and prompts that all its conditions hold for. */
export interface CallLimit
  extends CallerCondition,
    Pick<AccessRule, 'servers' | 'tools' | 'prompts' | 'resources' | 'events' | 'unless'> {
  /** Distinguishes the limit from others in the same store. Default: its position, such as `limit 2`. */
  readonly name?: string
  /** Requests are counted for each principal, server or item, or for a combination of them. Default: `['principal']`. */
  readonly per?: readonly LimitKey[]
  /** Maximum number of requests in an interval, in all processes that share the store. */
  readonly rate?: Pick<RateLimitOptions, 'limit' | 'intervalMs'>
  /** Maximum number of concurrent requests, in all processes that share the store, and of those that wait for their turn, in each. */
  readonly concurrency?: Pick<ConcurrencyLimitOptions, 'limit' | 'maxQueued' | 'queueTimeoutMs'>
  /** Timeout of a request, in milliseconds. */
  readonly timeoutMs?: number
  /** The maximum size of a result as JSON, in bytes. */
  readonly maxResultBytes?: number
  /** The treatment of larger results: an error, as much text as fits, or a link to a resource. Default: `error`. */
  readonly exceeded?: 'error' | 'cut' | 'link'
}

/** Options of `callLimits`. */
export interface CallLimitsOptions {
  /** The limits. All that match a request apply. */
  readonly limits: readonly CallLimit[]
  /** The store of counters and linked results. Several processes need a shared one. Default: in memory. */
  readonly store?: KeyValueStore
}

/** The kind of the item that a request concerns, and the param that names it. */
const METHODS: { readonly [method: string]: Pick<GatewayItem, 'kind'> & { readonly param: string } } = {
  'tools/call': { kind: 'tool', param: 'name' },
  'prompts/get': { kind: 'prompt', param: 'name' },
  'resources/read': { kind: 'resource', param: 'uri' },
  'events/poll': { kind: 'event', param: 'name' },
}

const NAMES: OptionNames<CallLimitsOptions> = { limits: 'array', store: 'store' }
const REQUIRED = { limits: 'Pass an array of limits' }

/**
 * Creates a policy that limits calls by rate, concurrency, time and size. It is made from the middleware `rateLimit`, `concurrencyLimit`,
 * `timeLimit` and `resultSizeLimit`, and applies to requests that the other policies have allowed.
 *
 * @throws TypeError or RangeError if a limit is invalid.
 */
export function callLimits(options: CallLimitsOptions): GatewayPolicy {
  checkOptions('callLimits()', options, { names: NAMES, required: REQUIRED })
  const { limits, store } = options
  const local = store ?? createMemoryStore()
  /** The servers of the requests that are being limited. */
  const servers = new WeakMap<Request, string>()
  const layers = limits.flatMap((limit, index) => {
    const name = limit.name ?? `limit ${index + 1}`
    checkLimit(limit, name)
    const selection = { methods: Object.keys(METHODS), key: createKey(limit, servers) }
    return createLayers({ ...limit, name }, selection, { store: local, isShared: store !== undefined }).map((layer) =>
      withName(layer, name),
    )
  })
  return {
    serverMiddleware: (server) => [
      (request, context, next) => {
        servers.set(request, server)
        return next(request, context)
      },
      ...layers,
    ],
  }
}

/** Returns the key that a request is counted under, or `undefined` if the limit does not concern it. */
function createKey(limit: CallLimit, servers: WeakMap<Request, string>): NonNullable<RequestSelection['key']> {
  const { per = ['principal'], servers: names, tools, prompts, resources, events, unless, principals, scopes, claims } = limit
  const conditions = { servers: names, tools, prompts, resources, events, unless, principals, scopes, claims }
  const matcher = createRuleMatcher({ ...defined(conditions), do: 'deny' }, '')
  return (request: Request, { auth }: ExchangeContext) => {
    const method = METHODS[request.method]
    const server = servers.get(request)
    if (!method || server === undefined) return undefined
    const name = String(request.params?.[method.param])
    if (!matcher.matchesItem({ server, kind: method.kind, name }, { auth, capabilities: {} })) return undefined
    const parts = { principal: auth?.principal ?? null, server, item: [server, method.kind, name] }
    return JSON.stringify(per.map((part) => parts[part]))
  }
}

function createLayers(
  limit: CallLimit & { readonly name: string },
  selection: RequestSelection,
  { store, isShared }: { readonly store: KeyValueStore; readonly isShared: boolean },
): Middleware[] {
  const { name, rate, concurrency, timeoutMs, maxResultBytes, exceeded } = limit
  return [
    ...(rate ? [rateLimit({ ...selection, ...rate, store, name: `gateway-rate:${name}` })] : []),
    ...(concurrency
      ? [
          concurrencyLimit({
            ...selection,
            ...concurrency,
            // Without a store, there is nothing to share.
            ...(isShared && { store, name: `gateway-concurrency:${name}` }),
          }),
        ]
      : []),
    ...(timeoutMs === undefined ? [] : [timeLimit({ ...selection, timeoutMs })]),
    ...(maxResultBytes === undefined
      ? []
      : [resultSizeLimit({ ...selection, maxBytes: maxResultBytes, store, ...(exceeded && { exceeded }) })]),
  ]
}

/** Adds the name of a limit to its refusals. */
function withName(layer: Middleware, name: string): Middleware {
  return async (request, context, next) => {
    const response = await layer(request, context, next)
    return refusedBy(response) === undefined ? response : markRefused(response, name)
  }
}

const LIMIT_MEMBERS = ['per', 'rate', 'concurrency', 'timeoutMs', 'maxResultBytes', 'exceeded']
const KEYS: readonly unknown[] = ['principal', 'server', 'item']

/** Checks a limit that may come from a configuration file. @throws TypeError that names the member. */
function checkLimit(limit: unknown, at: string): asserts limit is CallLimit {
  if (!isObject(limit)) throw new TypeError(`${at} is not an object`)
  const conditions = Object.fromEntries(Object.entries(limit).filter(([key]) => !LIMIT_MEMBERS.includes(key)))
  checkRule({ ...conditions, do: 'deny' }, at)
  const { per, rate, concurrency, exceeded } = limit
  if (per !== undefined && !(Array.isArray(per) && per.every((key) => KEYS.includes(key))))
    throw new TypeError(`${at}: per must be a list of principal, server and item`)
  if (exceeded !== undefined && !['error', 'cut', 'link'].includes(String(exceeded)))
    throw new TypeError(`${at}: exceeded must be error, cut or link`)
  for (const [key, value] of Object.entries({ rate, concurrency }))
    if (value !== undefined && !isObject(value)) throw new TypeError(`${at}: ${key} must be an object with a limit`)
}

/** Returns an object without the members that are undefined. */
function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never
}
