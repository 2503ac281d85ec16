/** Connects to a server. The kind of target decides the transport, a probe decides the era; the client itself knows neither. */

import { assertNodeVersion } from '../../../util/src/assert-node-version.ts'
import { PortcallError } from '../../../util/src/errors.ts'
import { ignoreErrors } from '../../../util/src/ignore-errors.ts'
import { createClient, type ServerConnection } from '../client/client.ts'
import type { ClientExtension } from '../client/extension.ts'
import type { ClientEvent } from '../client/options.ts'
import type { AnyPrompts, PromptTypes } from '../client/queries.ts'
import type { AnyTools, Client, ToolTypes } from '../client/types.ts'
import { bindLogger } from '../logging/bind-logger.ts'
import type { ExtensionApis } from '../protocol/extensions.ts'
import { isLoggingLevel, severityOf } from '../protocol/meta.ts'
import { checkConnectOptions } from './check-connect-options.ts'
import { type ConnectionOwner, openServerConnection } from './open-connection.ts'
import type { ConnectOptions } from './options.ts'
import type { ConnectTarget } from './target.ts'

/** The types of a server's tools, for `connect<typeof server>(…)`, or of tools that `defineTool` returned. */
export type ToolsOf<S> = S extends TypedTools
  ? { [name in keyof S]: NonNullable<S[name]['~tool']> extends ToolTypes[string] ? NonNullable<S[name]['~tool']> : never }
  : S extends { readonly '~tools'?: infer T }
    ? T extends ToolTypes
      ? T
      : never
    : never

/** The arguments of a server's prompts, by the name of the prompt. Without prompts in the type, any prompt. */
export type PromptsOf<S> = S extends {
  /** Carries the types of the prompts. */
  readonly '~prompts'?: infer P
}
  ? P extends PromptTypes
    ? P
    : AnyPrompts
  : AnyPrompts

/** The URIs of a server's resources. A URI template is a pattern of its URIs. Without resources in the type, any string. */
export type ResourcesOf<S> = S extends {
  /** Carries the URIs of the resources. */
  readonly '~resources'?: infer R
}
  ? unknown extends R
    ? string
    : UriPattern<keyof R & string>
  : string

/** The URIs of a template, with any string in the place of each expression. */
type UriPattern<U extends string> = U extends `${infer Start}{${string}}${infer Rest}`
  ? `${Start}${string}${UriPattern<Rest>}`
  : U

/**
 * A client with the types of its server's tools, prompts and resources, and the APIs of its extensions. Without tool types, it has those of
 * `Untyped`.
 */
export type ConnectedClient<S, E extends readonly ClientExtension[] = [], Untyped extends ToolTypes = AnyTools> = Client<
  [ToolsOf<S>] extends [never] ? Untyped : ToolsOf<S>,
  PromptsOf<S>,
  ResourcesOf<S>
> &
  ExtensionApis<E>

type TypedTools = { readonly [name: string]: { readonly handler: unknown; readonly '~tool'?: unknown } }

/** The tools of `connect<S>` if the type `S` has none, because they were registered one statement at a time. Errors show the name. */
type NoToolTypes = {
  'The type of this server has no tools: use connect<typeof tools>(…) with tools that defineTool(…) returned': ToolTypes[string]
}

/**
 * Connects to a server: a URL, a command, a server in this process, a channel or an Exchange.
 *
 * @example
 * await using weather = await connect('https://api.example.com/mcp')
 * const result = await weather.callTool('forecast', { city: 'Oslo' })
 *
 * A URL without a path may be that of a domain, whose server card names the endpoint.
 *
 * @throws NegotiationError, HttpStatusError, ConnectionLostError, TimeoutError when the connection fails; DiscoveryError when the documents of a
 * domain name no server that may be used without your decision.
 */
export async function connect<S = unknown, const E extends readonly ClientExtension[] = []>(
  target: ConnectTarget,
  options: ConnectOptions<E> = {},
): Promise<ConnectedClient<S, E, unknown extends S ? AnyTools : NoToolTypes>> {
  assertNodeVersion()
  checkConnectOptions(options)
  let strayOutput: string | undefined
  const logs = options.logger && bindLogger(options.logger, options.onEvent)
  const listener = ignoreErrors<ClientEvent>(logs?.onEvent ?? options.onEvent)
  const onEvent = (event: ClientEvent): void => {
    if (event.type === 'unexpected-message') strayOutput = event.text
    listener(event)
  }
  const middleware = [...(logs ? [logs.middleware] : []), ...(options.middleware ?? [])]
  const safeOptions: ConnectOptions = { ...options, middleware, onEvent }
  const parts = createClient(() => connection as ServerConnection, safeOptions)
  let connection: ServerConnection | undefined
  const owner = { ...parts, onLog: createLogListener(safeOptions), onEvent }
  try {
    connection = await openServerConnection(target, safeOptions, owner).catch(async (error: unknown) => {
      const endpoint = await endpointOfDomain(target, error, safeOptions)
      onEvent({
        type: 'warning',
        message: `Connecting to ${endpoint}, which the server card of ${new URL(String(target)).host} names`,
      })
      return openServerConnection(endpoint, safeOptions, owner)
    })
  } catch (error) {
    const hasAuth = options.auth !== undefined
    const usesProxy = options.fetch !== undefined || options.proxy !== undefined
    await import('./explain-error.ts').then(
      (module) => module.explainError(error, { target, hasAuth, usesProxy, strayOutput }),
      () => {},
    )
    throw error
  }
  return parts.client as never
}

/** Returns the endpoint that the documents of a domain name. @throws DiscoveryError, or the error of the connection if they name none. */
async function endpointOfDomain(target: ConnectTarget, error: unknown, options: ConnectOptions): Promise<URL> {
  const isUrl = typeof target === 'string' || target instanceof URL
  if (!isUrl || options.discovery === false || !(error instanceof PortcallError)) throw error
  const url = new URL(target)
  if (url.pathname !== '/') throw error
  const { addFinding, findEndpoint, mayBeDomain } = await import('./by-domain.ts')
  if (!mayBeDomain(url, error)) throw error
  const endpoint = await findEndpoint(url, options)
  if (endpoint instanceof URL) return endpoint
  addFinding(error, endpoint)
  throw error
}

/** Emits the log messages of a session as events. Filters by level, because not every server respects the level that was set. */
function createLogListener({ logLevel = 'debug', onEvent = () => {} }: ConnectOptions): NonNullable<ConnectionOwner['onLog']> {
  return ({ level, logger, data }) => {
    if (!isLoggingLevel(level) || severityOf(level) < severityOf(logLevel)) return
    onEvent({ type: 'log', level, logger: typeof logger === 'string' ? logger : undefined, data })
  }
}
