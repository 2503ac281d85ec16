import { type HeaderSource, readHeaders } from '../transports/http/client-headers.ts'
import { type ReadConfigOptions, readConfig } from './config.ts'
import { type ConnectOptions, connect } from './connect.ts'
import type { Entry } from './entry.ts'
import { type ClientGroup, createGroup, type GroupOptions } from './group.ts'

/** How the servers of a configuration are reached: for all, or for each by `optionsOf`. */
export type ConnectAllOptions = GroupOptions<ConnectOptions> & ReadConfigOptions

/**
 * Makes clients of all servers that a configuration names, as other programs write it: text with comments, or what was parsed of it. None is
 * started before it is used, and none can hurt another.
 *
 * @example
 * await using group = await connectAll(await readFile('.mcp.json', 'utf8'))
 * for await (const { name, server } of group.tools()) console.log(name, server)
 * await group.callTool('github__search', { query: 'portcall' })
 *
 * @throws ConfigError when the text cannot be read, or names no servers.
 */
export async function connectAll(config: string | object, options: ConnectAllOptions = {}): Promise<ClientGroup> {
  const { env, inputs, ...shared } = options
  const read = await readConfig(config, { ...(env && { env }), ...(inputs && { inputs }) })
  return createGroup(read, open, shared)
}

function open({ target, headers }: Entry, options: ConnectOptions): ReturnType<typeof connect> {
  return connect(target, headers ? { ...options, headers: joinHeaders(options.headers, headers) } : options)
}

/** What the configuration says about its server counts more than what is said about all. */
function joinHeaders(shared: HeaderSource | undefined, own: Readonly<Record<string, string>>): HeaderSource {
  if (!shared) return own
  return async () => ({ ...readHeaders(typeof shared === 'function' ? await shared() : shared), ...readHeaders(own) })
}
