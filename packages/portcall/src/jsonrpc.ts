/** JSON-RPC 2.0 on its own: messages, the Exchange, channels. For authors of transports and middleware. */
export { type Channel, channelPair, type Received } from './jsonrpc/channel.ts'
export { ConnectionLost, ErrorCode, RpcError } from './jsonrpc/errors.ts'
export {
  type Auth,
  deriveContext,
  type Exchange,
  type ExchangeContext,
  type HttpInfo,
  type Middleware,
  wrap,
} from './jsonrpc/exchange.ts'
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
} from './jsonrpc/message.ts'
