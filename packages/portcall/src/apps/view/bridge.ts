/** JSON-RPC over `postMessage` with the window that holds the frame. */
import { AppError } from './errors.ts'
import type { Json } from './types.ts'

/** The parts of a window that the bridge uses. */
export interface BridgeWindow {
  readonly parent: { postMessage(message: unknown, target: string): void }
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

/** The handlers of what the host sends. */
export interface BridgeHandlers {
  readonly onRequest: (method: string, params: Json) => unknown
  readonly onNotification: (method: string, params: Json) => void
}

/** Ends a request early. */
export interface AppRequestOptions {
  /** Cancels the request, and tells the host. */
  readonly signal?: AbortSignal
  /** How long to wait for the answer. Default: without end. */
  readonly timeoutMs?: number
}

interface Waiting {
  readonly settle: (answer: { readonly result?: unknown; readonly error?: unknown }) => void
  readonly fail: (error: unknown) => void
}

/** Sends requests and notifications, and receives. */
export interface Bridge {
  request(method: string, params: Json, options?: AppRequestOptions): Promise<unknown>
  notify(method: string, params?: Json): void
  /** Ends the bridge: pending requests fail, messages are ignored. */
  close(): void
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Opens the bridge. Messages from other windows than the parent are ignored. */
export function openBridge(window: BridgeWindow, { onRequest, onNotification }: BridgeHandlers): Bridge {
  const waiting = new Map<unknown, Waiting>()
  let lastId = 0
  let isClosed = false
  const post = (message: Json) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')

  const respond = async (id: unknown, method: string, params: Json) => {
    try {
      const result = await onRequest(method, params)
      post(result === undefined ? { id, error: { code: -32601, message: `Unknown method: ${method}` } } : { id, result })
    } catch (error) {
      post({ id, error: { code: -32603, message: error instanceof Error ? error.message : String(error) } })
    }
  }

  const receive = ({ source, data }: MessageEvent) => {
    if (source !== window.parent || !isObject(data) || data.jsonrpc !== '2.0') return
    const { id, method } = data
    if (typeof method !== 'string') return waiting.get(id)?.settle(data)
    const params = isObject(data.params) ? data.params : {}
    if (id === undefined) onNotification(method, params)
    else void respond(id, method, params)
  }
  window.addEventListener('message', receive)

  return {
    notify: (method, params = {}) => post({ method, params }),
    request: (method, params, { signal, timeoutMs } = {}) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new AppError('APP_CLOSED', 'The view is closed'))
        if (signal?.aborted) return reject(signal.reason)
        lastId += 1
        const id = lastId
        const cancel = (reason: unknown) => {
          post({ method: 'notifications/cancelled', params: { requestId: id } })
          waiting.get(id)?.fail(reason)
        }
        const abort = () => cancel(signal?.reason)
        const timer =
          timeoutMs === undefined
            ? undefined
            : setTimeout(() => cancel(new AppError('REQUEST_TIMEOUT', `No answer to ${method} after ${timeoutMs} ms`)), timeoutMs)
        const end = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', abort)
          waiting.delete(id)
        }
        waiting.set(id, {
          settle({ result, error }) {
            end()
            if (error === undefined) return resolve(result)
            const details = isObject(error) ? error : {}
            reject(new AppError('REQUEST_FAILED', `${method}: ${details.message ?? 'failed'}`, details))
          },
          fail(reason) {
            end()
            reject(reason)
          },
        })
        signal?.addEventListener('abort', abort)
        post({ id, method, params })
      }),
    close() {
      isClosed = true
      window.removeEventListener('message', receive)
      for (const { fail } of [...waiting.values()]) fail(new AppError('APP_CLOSED', 'The view is closed'))
    },
  }
}
