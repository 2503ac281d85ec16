/** JSON-RPC 2.0 on its own: messages, the Exchange, channels. For authors of transports and middleware. */
export { channelPair, type Channel, type Received } from './jsonrpc/channel.ts'
export { ConnectionLost, ErrorCode, RpcError } from './jsonrpc/errors.ts'
export { deriveContext, wrap, type Auth, type Exchange, type ExchangeContext, type HttpInfo, type Middleware } from './jsonrpc/exchange.ts'
export {
  classify,
  failure,
  isObject,
  isRequestId,
  isSuccess,
  notification,
  success,
  type ErrorBody,
  type Failure,
  type JsonObject,
  type JsonValue,
  type Message,
  type Notification,
  type Request,
  type RequestId,
  type Response,
  type Success,
} from './jsonrpc/message.ts'
