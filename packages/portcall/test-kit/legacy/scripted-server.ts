import { type Channel, channelPair } from '../../src/jsonrpc/channel.ts'
import type { RpcError } from '../../src/jsonrpc/errors.ts'
import type { JsonObject, Message, Request, Response } from '../../src/jsonrpc/message.ts'

/** Returns the result of a request. A thrown RpcError becomes an error response. */
export type ScriptedReply = (params: JsonObject, request: Request) => unknown

/** A server whose replies a test determines, and the messages that it has received. */
export interface ScriptedLegacyServer {
  readonly channel: Channel
  readonly received: Message[]
  readonly methods: () => unknown[]
  send(message: unknown): void
  /** Sends a request to the client, with an ID of the server. */
  request(method: string, params?: unknown, id?: unknown): Promise<Response>
  close(): Promise<void>
}

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
}

const DEFAULT_REPLIES: { readonly [method: string]: ScriptedReply } = {
  initialize: () => ({
    protocolVersion: '2025-11-25',
    capabilities: CAPABILITIES,
    serverInfo: { name: 'scripted', version: '' },
  }),
}

/** Creates a server that sends the scripted replies, valid or not. It never answers a method without a reply. */
export function createScriptedLegacyServer(replies: { [method: string]: ScriptedReply } = {}): ScriptedLegacyServer {
  const [channel, serverChannel] = channelPair()
  const received: Message[] = []
  const pending = new Map<unknown, (response: Response) => void>()
  let requests = 0
  const send: ScriptedLegacyServer['send'] = (message) => void serverChannel.send(message as Message)
  serverChannel.receive(
    (input) => {
      const message = ('value' in input ? input.value : {}) as Request
      received.push(message)
      if (message.method === undefined) return pending.get(message.id)?.(message as unknown as Response)
      const reply: ScriptedReply | undefined = { ...DEFAULT_REPLIES, ...replies }[message.method]
      if (!reply || message.id === undefined) return
      try {
        send({ jsonrpc: '2.0', id: message.id, result: reply(message.params ?? {}, message) })
      } catch (error) {
        send((error as RpcError).response(message.id))
      }
    },
    () => {},
  )
  return {
    channel,
    received,
    methods: () => received.map((message) => ('method' in message ? message.method : message)),
    send,
    request: (method, params, id = `server-${++requests}`) =>
      new Promise((resolve) => {
        pending.set(id, resolve)
        send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })
      }),
    close: () => serverChannel.close(),
  }
}
