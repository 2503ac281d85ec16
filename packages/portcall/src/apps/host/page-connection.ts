/** The connection with the page of a view, without a browser. */
import type { Channel, ChannelInput } from '../../jsonrpc/channel.ts'
import { ErrorCode } from '../../jsonrpc/errors.ts'
import { classify, failure, isRequestId, type Message } from '../../jsonrpc/message.ts'
import { createPeer, type Peer, type PeerOptions } from '../../jsonrpc/peer.ts'
import type { BridgeState } from './bridge-options.ts'
import { createAdmission, findFault } from './message-limits.ts'
import { shownMethod } from './methods.ts'
import type { AppEvent } from './types.ts'

interface PageOptions {
  readonly post: (message: Message) => void
  readonly emit: (event: AppEvent) => void
  readonly state: BridgeState
}

/** The connection with the page that is loaded now. */
export interface PageConnection {
  readonly peer: Peer
  /** Takes a message of the page. */
  receive(message: unknown): void
}

/** Connects with the page of a view. When it is loaded again, the requests of the page before it are cancelled, and their ids are free. */
export function connectPages({ post, emit, state }: PageOptions, peerOptions: PeerOptions): PageConnection {
  /** One such message of a page is taken, whatever it contains: more would get around the limit. */
  let awaitsReady = true
  const port = createPort({
    post,
    emit,
    isExpected(method) {
      const isExpected = awaitsReady && method === 'ui/notifications/initialized' && state.name === 'initializing'
      if (isExpected) awaitsReady = false
      return isExpected
    },
    onRequest(method) {
      if (method !== 'ui/initialize') return
      awaitsReady = true
      if (state.name === 'waiting') return
      peer.cancelAll()
      void peer.close()
      peer = createPeer(port.open(), peerOptions)
    },
  })
  let peer = createPeer(port.open(), peerOptions)
  return {
    get peer() {
      return peer
    },
    receive: port.receive,
  }
}

interface PortOptions {
  readonly post: (message: Message) => void
  readonly emit: (event: AppEvent) => void
  /** Reports whether a message of a method is taken even if the view sends too many. */
  readonly isExpected: (method: string) => boolean
  /** Called for each request, before it is passed on. */
  readonly onRequest: (method: string) => void
}

/** Connects `post` and `receive` with a peer. Only well-formed messages within the limits pass. */
function createPort({ post, emit, isExpected, onRequest }: PortOptions): {
  /** Returns a new channel, which receives all further messages. */
  open(): Channel
  receive(message: unknown): void
} {
  const admit = createAdmission()
  let deliver: (input: ChannelInput) => void = () => {}
  const send = (message: Message): void => {
    emit({ type: 'message', from: 'host', message })
    try {
      post(message)
    } catch (error) {
      emit({ type: 'error', error })
    }
  }
  const refuse = (
    message: unknown,
    reason: string,
    { code, isAnswered }: { readonly code: number; readonly isAnswered: boolean },
  ): void => {
    const { id, method } = headOf(message)
    const isRequest = isAnswered && id !== undefined
    emit({ type: 'refused', reason, ...(method !== undefined && { method }), ...(isRequest && { code }) })
    if (isRequest) send(failure(id, { code, message: reason }))
  }
  return {
    open() {
      let end: () => void = () => {}
      return {
        send: (message) => void [message].flat().forEach(send),
        receive: (onInput, onClose) => {
          ;[deliver, end] = [onInput, onClose]
        },
        close: async () => end(),
      }
    },
    receive(message) {
      const admission = isExpected(headOf(message).method ?? '') ? 'admitted' : admit()
      if (admission === 'dropped') return
      const limit = admission === 'refused' ? 'the view sends too many messages' : findFault(message)
      if (limit !== undefined)
        return refuse(message, `Invalid request: ${limit}`, { code: ErrorCode.invalidRequest, isAnswered: true })
      const classified = classify(message)
      if (classified.kind === 'invalid')
        return refuse(message, classified.error.message, { code: classified.error.code, isAnswered: classified.silent !== true })
      emit({ type: 'message', from: 'view', message: classified.message })
      if (classified.kind === 'request') onRequest(classified.message.method)
      deliver({ value: classified.message })
    },
  }
}

/** Reads the id and method of a message that may be anything. */
function headOf(message: unknown): { readonly id?: string | number; readonly method?: string } {
  if (typeof message !== 'object' || message === null) return {}
  const { id, method } = message as { id?: unknown; method?: unknown }
  return { ...(isRequestId(id) && { id }), ...(typeof method === 'string' && { method: shownMethod(method) }) }
}
