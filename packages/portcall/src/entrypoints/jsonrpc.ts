/** JSON-RPC 2.0 without MCP: messages, exchanges and channels, for authors of transports and middleware. @module */

export { PortcallError } from '../../../util/src/errors.ts'
export { type Channel, type ChannelInput, channelPair } from '../jsonrpc/channel.ts'
export { ConnectionLostError, ErrorCode, RpcError } from '../jsonrpc/errors.ts'
export {
  type Auth,
  applyMiddleware,
  deriveContext,
  type Exchange,
  type ExchangeContext,
  type HttpInfo,
  type Middleware,
} from '../jsonrpc/exchange.ts'
export {
  classify,
  type ErrorBody,
  type Failure,
  failure,
  isObject,
  isRequestId,
  isSuccess,
  type JsonObject,
  type JsonValue,
  type Message,
  type Notification,
  notification,
  type Request,
  type RequestId,
  type Response,
  type Success,
  success,
} from '../jsonrpc/message.ts'
