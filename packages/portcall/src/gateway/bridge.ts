import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import type { ConnectTarget } from '../connect/target.ts'
import { checkBridgeOptions } from './api/check-options.ts'
import type { BridgeOptions } from './api/options.ts'
import { createGateway, type Gateway } from './gateway.ts'

/**
 * Creates a gateway to one server, which looks like the server itself: its names, lists and instructions do not change. Serve it over another
 * transport, or to clients of revisions that the server does not support.
 *
 * @example
 * await serveStdio(bridge('https://mcp.example.com/mcp'))
 *
 * @throws TypeError if an option is invalid.
 */
export function bridge(target: ConnectTarget, options: BridgeOptions = {}): Gateway {
  checkBridgeOptions(options)
  const {
    name = 'server',
    info,
    policy,
    credentials,
    middleware,
    stores,
    sealingKeys,
    pageSize,
    requestStateTtlMs,
    singleUser,
    onEvent,
    ...server
  } = options
  return createGateway({
    // A bridge usually has one client, which the server should see as it is.
    servers: { [name]: { capabilities: 'exact', ...server, ...(credentials && { credentials }), target } },
    names: { mode: 'never' },
    ...withoutUndefined({ info, policy, middleware, stores, sealingKeys, pageSize, requestStateTtlMs, singleUser, onEvent }),
  })
}
