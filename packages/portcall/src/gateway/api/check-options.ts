import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { CONNECTION_OPTION_NAMES } from '../../connect/check-connect-options.ts'
import { SUPPORTED_VERSIONS } from '../../protocol/revisions.ts'
import { HTTP_CLIENT_LIMITS } from '../../transports/http/client/limits.ts'
import type { GatewayPolicy } from '../policy/types.ts'
import { type BridgeOptions, type GatewayOptions, type GatewayServerOptions, serverOptionsOf } from './options.ts'

const GATEWAY: OptionNames<GatewayOptions> = {
  servers: 1,
  info: 'object',
  instructions: 1,
  names: 1,
  policy: 'object or objects',
  credentials: 1,
  middleware: 'functions',
  stores: 'object',
  listStore: 1,
  sealingKeys: 'texts',
  pageSize: 'count',
  singleUser: 1,
  requestStateTtlMs: 1,
  onEvent: 1,
  logger: 1,
}
/** The names of the options of a server. */
export const GATEWAY_SERVER_NAMES: OptionNames<GatewayServerOptions> = {
  target: 1,
  alias: 1,
  disabled: 'boolean',
  required: 'boolean',
  sharing: ['shared', 'principal', 'session'],
  credentials: 1,
  tools: 1,
  prompts: 1,
  resources: 1,
  events: 1,
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
    checkOptions(`${where}: http`, server.http ?? {}, { names: HTTP_CLIENT_LIMITS })
    const { protocolVersion, eventWebhook } = server
    if (eventWebhook && eventWebhook.url === undefined)
      throw new TypeError(`${where}: the eventWebhook has no url. Pass it to eventWebhook({ url })`)
    if (protocolVersion !== undefined && !SUPPORTED_VERSIONS.includes(protocolVersion))
      throw new TypeError(
        `${where}: protocolVersion must be one of ${SUPPORTED_VERSIONS.join(', ')}, not ${describe(protocolVersion)}`,
      )
  }
}

/** Reports whether something may be a target. Options without the member `target` are taken for one. */
function isTarget(target: GatewayServerOptions['target']): boolean {
  return typeof target !== 'object' || target instanceof URL || ['command', 'exchange', 'receive'].some((key) => key in target)
}

/** Checks the options of `bridge`. @throws TypeError. */
export function checkBridgeOptions(options: BridgeOptions): void {
  checkOptions('bridge()', options, { names: BRIDGE, advice: ADVICE })
}
