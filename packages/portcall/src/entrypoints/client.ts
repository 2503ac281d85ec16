/** Clients of the Model Context Protocol: connect to servers of every protocol revision, over every transport. @module */

export { PortcallError } from '../../../util/src/errors.ts'
export type { ClientOptions } from '../client/client.ts'
export { defineClientExtension } from '../client/define-extension.ts'
export {
  ClientClosedError,
  ExtensionUnsupportedError,
  InputHandlerError,
  InvalidResultError,
  TimeoutError,
} from '../client/errors.ts'
export type { ClientExtension, ClientExtensionContext, ClientExtensionDefinition, ClientMethod } from '../client/extension.ts'
export type { FormRequest, InputContext, InputHandlers, UrlRequest } from '../client/input-requests.ts'
export type { List, ListDefinition } from '../client/lists.ts'
export type { CacheOptions, CallOptions, ClientEvent, ClientTimeouts, Progress, RequestOptions } from '../client/options.ts'
export type { OutputValidation } from '../client/output-validation.ts'
export type { CompletionRef, PromptTypes } from '../client/queries.ts'
export type { PendingResult, ResultResolver } from '../client/requester.ts'
export type { Change, Subscription } from '../client/subscriptions.ts'
export type { AnyTools, Client, ConnectionStatus, ToolTypes } from '../client/types.ts'
export { readConfig } from '../connect/config/config.ts'
export { ConfigError } from '../connect/config/errors.ts'
export type { Config, ReadConfigOptions, ServerConfig } from '../connect/config/types.ts'
export { type ConnectedClient, connect, type PromptsOf, type ResourcesOf, type ToolsOf } from '../connect/connect.ts'
export { DiscoveryError } from '../connect/discovery-error.ts'
export type { Era } from '../connect/era-cache.ts'
export type { Namespaced, WithServer } from '../connect/group/aggregate.ts'
export { type ConnectAllOptions, connectAll } from '../connect/group/connect-all.ts'
export type { ClientGroup, GroupEvent } from '../connect/group/group.ts'
export type { ServerState, ServerStatus } from '../connect/group/group-server.ts'
export type { ConnectOptions, DiscoverySettings, WireObserver, WireSender } from '../connect/options.ts'
export type { ConnectTarget, InProcessTarget, StdioTarget } from '../connect/target.ts'
export type { Channel } from '../jsonrpc/channel.ts'
export { ConnectionLostError, ErrorCode, InvalidResponseError, type ProcessExit, RpcError } from '../jsonrpc/errors.ts'
export type { Exchange, ExchangeContext, Middleware } from '../jsonrpc/exchange.ts'
export { NegotiationError } from '../legacy/negotiate.ts'
export type { Logger } from '../logging/logger.ts'
export { ProxyError } from '../net/proxy-error.ts'
export type { ProxySetting } from '../net/proxy-setting.ts'
export type { ExtensionApis } from '../protocol/extensions.ts'
export { KEPT_META, UNAVAILABLE_META } from '../protocol/meta.ts'
export { SUPPORTED_VERSIONS } from '../protocol/revisions.ts'
export type {
  CallToolResult,
  Completion,
  ContentBlock,
  DiscoverResult,
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
  SubscriptionFilter,
  Tool,
} from '../protocol/types.ts'
export { type CompileOptions, compileSchema } from '../schema/compile.ts'
export { resolveRef } from '../schema/resolve-ref.ts'
export type { CompiledSchema, Issue } from '../schema/standard.ts'
export { expandTemplate } from '../schema/uri-template/expand.ts'
export { HttpStatusError } from '../transports/http/client/http-status-error.ts'
export type { HttpClientLimits } from '../transports/http/client/limits.ts'
export { SessionExpiredError } from '../transports/http/client/session.ts'
export type {
  CustomFetch,
  CustomFetchInit,
  FetchResponse,
  HttpFetch,
  HttpFetchInit,
  HttpFetchResponse,
  HttpTransfer,
} from '../transports/http/client/types.ts'
export { InvalidHeaderError } from '../transports/http/common/invalid-header-error.ts'
export {
  type ChannelExchange,
  type ChannelExchangeOptions,
  createChannelExchange,
} from '../transports/stdio/client.ts'
export { SpawnError } from '../transports/stdio/spawn-error.ts'
