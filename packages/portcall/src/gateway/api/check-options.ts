import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { CONNECTION_OPTION_NAMES } from '../../connect/check-connect-options.ts'
import { SUPPORTED_VERSIONS } from '../../protocol/revisions.ts'
import { HTTP_CLIENT_LIMITS } from '../../transports/http/client/limits.ts'
import type { GatewayPolicy } from '../policy/types.ts'
import {
  type BridgeOptions,
  type GatewayNameOptions,
  type GatewayOptions,
  type GatewayServerOptions,
  type ItemRules,
  serverOptionsOf,
} from './options.ts'

const GATEWAY: OptionNames<GatewayOptions> = {
  servers: 1,
  info: 'object',
  instructions: 'text',
  names: 'object',
  policy: 'object or objects',
  credentials: 'function',
  middleware: 'functions',
  stores: 'object',
  listStore: 1,
  sealingKeys: 'texts',
  pageSize: 'count',
  singleUser: 'boolean',
  requestStateTtlMs: 1,
  onEvent: 1,
  logger: 'logger',
}
/** The names of the options of a server. */
export const GATEWAY_SERVER_NAMES: OptionNames<GatewayServerOptions> = {
  target: 1,
  alias: 'text',
  disabled: 'boolean',
  required: 'boolean',
  sharing: ['shared', 'principal', 'session'],
  credentials: 'function',
  tools: 'object',
  prompts: 'object',
  resources: 'object',
  events: 'object',
  eventWebhook: 'function',
  middleware: 'functions',
  capabilities: ['all', 'exact'],
  listTimeoutMs: 1,
  startTimeoutMs: 1,
  idleTimeoutMs: 1,
  maxConnections: 1,
  maxRequests: 1,
  ...CONNECTION_OPTION_NAMES,
}
const NAMES: OptionNames<GatewayNameOptions> = { mode: ['always', 'on-conflict', 'never'], maxLength: 'count', dots: 'boolean' }
const ITEMS: OptionNames<ItemRules> = { include: 'texts', exclude: 'texts', rename: 'object' }
const ITEMS_ADVICE = { only: 'Use "include"', allow: 'Use "include"', deny: 'Use "exclude"', hide: 'Use "exclude"' }
const BRIDGE: OptionNames<BridgeOptions> = (() => {
  const { target, alias, disabled, required, ...server } = GATEWAY_SERVER_NAMES
  const { servers, names, instructions, listStore, ...gateway } = GATEWAY
  return { ...server, ...gateway, name: 1 }
})()
const ADVICE = {
  mcpServers: 'Pass servers: { NAME: target }, or read a configuration with readGatewayConfig()',
  policies: 'Pass them as "policy"',
  url: 'Pass it as "target"',
  command: 'Pass target: { command, args }',
}

/** Checks the options of `createGateway`, since JavaScript passes anything. @throws TypeError. */
export function checkGatewayOptions(options: GatewayOptions): void {
  checkOptions('createGateway()', options, { names: GATEWAY, advice: ADVICE })
  checkOptions('createGateway(): names', options.names ?? {}, { names: NAMES })
}

/** Checks that the servers that policies are for exist. @throws TypeError. */
export function checkPolicyServers(policies: readonly GatewayPolicy[], names: readonly string[]): void {
  for (const name of policies.flatMap(({ servers = [] }) => servers))
    if (!names.includes(name))
      throw new TypeError(
        `createGateway(): a policy is for the server ${describe(name)}, which does not exist. The servers are ${names.join(', ') || 'none'}`,
      )
}

/** Checks the options of the servers of a gateway. @throws TypeError. */
export function checkUpstreamOptions(servers: GatewayOptions['servers']): void {
  if (typeof servers !== 'object' || servers === null || Array.isArray(servers))
    throw new TypeError(
      `createGateway(): servers ${servers === undefined ? 'is missing' : `must be an object, not ${describe(servers)}`}. Pass servers: { NAME: target }; the names become the prefixes of tools`,
    )
  for (const [name, server] of serverOptionsOf(servers)) {
    const options = isTarget(server.target) ? server : server.target
    const where = `createGateway(): the server ${JSON.stringify(name)}`
    checkOptions(where, options, { names: GATEWAY_SERVER_NAMES, advice: ADVICE })
    checkUpstream(where, server)
  }
}

/** Checks the members of the options of one server. @throws TypeError. */
export function checkUpstream(where: string, server: GatewayServerOptions): void {
  const { target, http = {}, protocolVersion, eventWebhook } = server
  if (target == null)
    throw new TypeError(`${where}: target is missing. Pass a URL, a { command }, a server, a Channel or an Exchange`)
  checkOptions(`${where}: http`, http, { names: HTTP_CLIENT_LIMITS })
  for (const kind of ['tools', 'prompts', 'resources', 'events'] as const)
    checkOptions(`${where}: ${kind}`, server[kind] ?? {}, { names: ITEMS, advice: ITEMS_ADVICE })
  if (eventWebhook && eventWebhook.url === undefined)
    throw new TypeError(`${where}: the eventWebhook has no url. Pass it to eventWebhook({ url })`)
  if (protocolVersion !== undefined && !SUPPORTED_VERSIONS.includes(protocolVersion))
    throw new TypeError(
      `${where}: protocolVersion must be one of ${SUPPORTED_VERSIONS.join(', ')}, not ${describe(protocolVersion)}`,
    )
}

/** Reports whether something may be a target. Options without the member `target` are taken for one. */
function isTarget(target: GatewayServerOptions['target']): boolean {
  return (
    typeof target !== 'object' ||
    target === null ||
    target instanceof URL ||
    ['command', 'exchange', 'receive'].some((key) => key in target)
  )
}

/** Checks the options of `bridge`. @throws TypeError. */
export function checkBridgeOptions(options: BridgeOptions): void {
  checkOptions('bridge()', options, { names: BRIDGE, advice: ADVICE })
}
