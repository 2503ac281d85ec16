/** Using servers: of every revision, over every transport. */

export type { ClientOptions } from './client/client-options.ts'
export { ConnectionClosed, ExtensionMissing, InvalidResult, TimeoutError, UnansweredInput } from './client/errors.ts'
export type { ClientExtension, ClientGuest, ClientHost, ClientMethod } from './client/extension.ts'
export type { Finish, Unfinished } from './client/finish.ts'
export { extension } from './client/guest.ts'
export type { Answers, Asked, FormRequest, UrlRequest } from './client/input.ts'
export type { List, ListOf } from './client/lists.ts'
export type { CacheOptions, CallOptions, ClientDeadlines, ClientEvent, Progress, RawOptions } from './client/options.ts'
export type { CompletionRef } from './client/reads.ts'
export type { Change, Subscription } from './client/subscribe.ts'
export type { Client, Status, ToolTypes } from './client/surface.ts'
export { type ConnectAllOptions, connectAll } from './connect/all.ts'
export { type Config, type ReadConfigOptions, readConfig, type ServerConfig } from './connect/config.ts'
export { ConfigError } from './connect/config-error.ts'
export { type Connected, type ConnectOptions, connect, type ToolsOf } from './connect/connect.ts'
export type { Era } from './connect/eras.ts'
export type { ClientGroup, GroupEvent } from './connect/group.ts'
export type { MemberState, MemberStatus } from './connect/member.ts'
export type { OfServer, Renamed } from './connect/merged.ts'
export type { Command, Served, Target } from './connect/target.ts'
export type { Channel } from './jsonrpc/channel.ts'
export { ConnectionLost, ErrorCode, type ProcessExit, RpcError, UnreadableAnswer } from './jsonrpc/errors.ts'
export type { Exchange, ExchangeContext, Middleware } from './jsonrpc/exchange.ts'
export { NegotiationError } from './legacy/negotiate.ts'
export type { MembersOf } from './protocol/extensions.ts'
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
} from './protocol/types.ts'
export { type CompileOptions, compileSchema } from './schema/compile.ts'
export type { CompiledSchema, Issue } from './schema/standard.ts'
export { expandTemplate } from './schema/uri-expand.ts'
export type { HttpClientLimits } from './transports/http/client-limits.ts'
export { HttpStatusError } from './transports/http/http-status-error.ts'
export type { HttpFetch } from './transports/http/request.ts'
export { SessionLost } from './transports/http/session-lost.ts'
export {
  type ChannelExchange,
  type ChannelExchangeOptions,
  createChannelExchange,
} from './transports/stdio/client.ts'
export { SpawnError } from './transports/stdio/spawn-error.ts'
