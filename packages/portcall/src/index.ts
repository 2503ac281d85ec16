/** The Model Context Protocol, whole: define a server once, serve every revision. */
export { ConnectionLost, ErrorCode, RpcError } from './jsonrpc/errors.ts'
export {
  type Auth,
  deriveContext,
  type Exchange,
  type ExchangeContext,
  type HttpInfo,
  type Middleware,
} from './jsonrpc/exchange.ts'
export { insufficientScope, ProtocolErrorCode } from './protocol/errors.ts'
export type { MembersOf } from './protocol/extensions.ts'
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  CacheHint,
  CallToolResult,
  ClientCapabilities,
  Completion,
  ContentBlock,
  CreateMessageParams,
  CreateMessageResult,
  EmbeddedResource,
  GetPromptResult,
  Icon,
  ImageContent,
  Implementation,
  LoggingLevel,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceLink,
  Root,
  SamplingMessage,
  ServerCapabilities,
  TextContent,
  TextResourceContents,
  ToolAnnotations,
} from './protocol/types.ts'
export { LOGGING_LEVELS } from './protocol/types.ts'
export { SchemaError } from './schema/errors.ts'
export type { Infer, InferInput, JsonSchema, Schema } from './schema/standard.ts'
export type { AroundTool, CalledTool, DescribeTool } from './server/around.ts'
export type { AskOptions, Call, Trace } from './server/call.ts'
export type {
  Complete,
  CompleteContext,
  Content,
  LackingScopes,
  PromptDefinition,
  PromptReturn,
  ResourceDefinition,
  ResourceReturn,
  TemplateDefinition,
  ToolDefinition,
  ToolReturn,
  ToolSettings,
} from './server/define.ts'
export { Declined, InputRequired, ToolError, ToolTimeout } from './server/errors.ts'
export type { OnEvent, ServerEvent } from './server/events.ts'
export type {
  ExtensionHost,
  ExtensionMethod,
  ServerExtension,
  ServerGuest,
} from './server/extension.ts'
export type * from './server/extras.ts'
export { extension } from './server/guest.ts'
export type { CallState, Keeper } from './server/keeper.ts'
export type { ExtensionNotice } from './server/notice.ts'
export type { Cacheable, ServerLimits, ServerOptions } from './server/options.ts'
export type { Items } from './server/registry.ts'
export { createServer } from './server/server.ts'
export type { Serveable, Server } from './server/surface.ts'
export { generateKey, SealError } from './stores/seal.ts'
export { type ServeChannelOptions, serveChannel } from './transports/stdio/server.ts'
