import { checkOptions } from '../../../../util/src/check-options.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { checkConnectOptions } from '../check-connect-options.ts'
import { checkConfigText } from '../config/check-text.ts'
import { readConfig } from '../config/config.ts'
import type { ServerEntry } from '../config/server-entry.ts'
import type { ReadConfigOptions } from '../config/types.ts'
import { connect } from '../connect.ts'
import { joinHeaders } from '../join-headers.ts'
import type { ConnectOptions } from '../options.ts'
import { type ClientGroup, createGroup, type GroupOptions } from './group.ts'

/** Options of `connectAll`, for all servers or, with `optionsOf`, for one. */
export type ConnectAllOptions = GroupOptions<ConnectOptions> & ReadConfigOptions

/**
 * Creates clients for all servers of an MCP configuration: text with comments, or the parsed object. A server is started by its first use,
 * and its failures do not affect the others.
 *
 * @example
 * await using group = await connectAll(await readFile('.mcp.json', 'utf8'))
 * for await (const { name, server } of group.tools()) console.log(name, server)
 * await group.callTool('github__search', { query: 'portcall' })
 *
 * @throws ConfigError when the text is invalid or contains no servers; TypeError for options that do not exist.
 */
export async function connectAll(config: string | object, options: ConnectAllOptions = {}): Promise<ClientGroup> {
  checkOptions('connectAll()', options, { names: {}, isOpen: true })
  if (!isObject(config) || config instanceof Uint8Array) checkConfigText(config, 'connectAll')
  const { env, inputs, directory, format, onVariable, disabledServers, disabledTools, allowNoServers, ...shared } = options
  const { optionsOf: _, ...common } = shared
  checkConnectOptions(common as ConnectOptions, 'connectAll()')
  const parsed = await readConfig(
    config,
    withoutUndefined({ env, inputs, directory, format, onVariable, disabledServers, disabledTools, allowNoServers }),
  )
  return createGroup(parsed, open, shared)
}

function open({ target, headers: own }: ServerEntry, options: ConnectOptions): ReturnType<typeof connect> {
  const headers = joinHeaders(options.headers, own)
  return connect(target, headers ? { ...options, headers } : options)
}
