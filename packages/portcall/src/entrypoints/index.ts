/** Servers of the Model Context Protocol: define a server once and serve clients of every protocol revision. @module */

export { PortcallError } from '../../../util/src/errors.ts'
export type { JsonForm } from '../../../util/src/json-value.ts'
export { ConnectionLostError, ErrorCode, RpcError } from '../jsonrpc/errors.ts'
export {
  type Auth,
  deriveContext,
  type Exchange,
  type ExchangeContext,
  type HttpInfo,
  type Middleware,
} from '../jsonrpc/exchange.ts'
export type { Logger } from '../logging/logger.ts'
export { insufficientScope, ProtocolErrorCode } from '../protocol/errors.ts'
export type { ExtensionApis } from '../protocol/extensions.ts'
export type { CreateMessageParams, CreateMessageResult, Root, SamplingMessage } from '../protocol/input-types.ts'
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  CacheHint,
  CallToolResult,
  ClientCapabilities,
  Completion,
  ContentBlock,
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
  ServerCapabilities,
  TextContent,
  TextResourceContents,
  ToolAnnotations,
} from '../protocol/types.ts'
export { LOGGING_LEVELS } from '../protocol/types.ts'
export { SchemaError } from '../schema/errors.ts'
export type { Infer, InferInput, JsonSchema, Schema } from '../schema/standard.ts'
export type { Call, InputRequestOptions, TraceContext } from '../server/call.ts'
export { defineServerExtension } from '../server/define-extension.ts'
export { type DefinedTool, type DefinedTools, defineTool, type ToolType } from '../server/define-tool.ts'
export type {
  BaseToolDefinition,
  Completer,
  CompletionContext,
  Content,
  InsufficientScopePolicy,
  PromptDefinition,
  PromptReturn,
  ResourceDefinition,
  ResourceReturn,
  TemplateDefinition,
  ToolDefinition,
  ToolReturn,
} from '../server/definitions.ts'
export { ElicitationDeclinedError, InputRequiredError, ToolError, ToolTimeoutError } from '../server/errors.ts'
export type { OnEvent, ServerEvent } from '../server/events.ts'
export type {
  ExtensionMethod,
  ServerExtension,
  ServerExtensionContext,
  ServerExtensionDefinition,
  ToolInfo,
  ToolListingExtender,
  ToolMiddleware,
} from '../server/extension.ts'
export type { ItemCollection } from '../server/features/registry.ts'
export type { RequestState, RequestStateStore } from '../server/input-requests/request-state.ts'
export type { Cacheable, ServerLimits, ServerOptions } from '../server/options.ts'
export { createServer } from '../server/server.ts'
export type { ExtensionNotification } from '../server/subscriptions.ts'
export type { ToolAccess } from '../server/tool-access.ts'
export type * from '../server/tool-definition-extensions.ts'
export type { Server, ServerLike, UseOptions } from '../server/types.ts'
export { generateKey, SealError } from '../stores/sealing/seal.ts'
export { type ServeChannelOptions, serveChannel } from '../transports/stdio/server.ts'
