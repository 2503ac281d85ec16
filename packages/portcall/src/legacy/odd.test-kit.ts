import { type Channel, channelPair } from '../jsonrpc/channel.ts'
import type { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject, Message, Request, Response } from '../jsonrpc/message.ts'

/** What a server answers a method with; thrown errors are answered too. */
export type Reply = (params: JsonObject, request: Request) => unknown

/** The server, and what it hears. */
export interface Odd {
  readonly channel: Channel
  readonly received: Message[]
  readonly methods: () => unknown[]
  send(message: unknown): void
  /** Asks the client, with an id of the server. */
  ask(method: string, params?: unknown, id?: unknown): Promise<Response>
  end(): Promise<void>
}

const CAPABILITIES = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
}

const HANDSHAKE: { readonly [method: string]: Reply } = {
  initialize: () => ({ protocolVersion: '2025-11-25', capabilities: CAPABILITIES, serverInfo: { name: 'odd', version: '' } }),
}

/** A server made by hand: answers with what it is told, whatever that is; what it is not told it never answers. */
export function odd(replies: { [method: string]: Reply } = {}): Odd {
  const [channel, far] = channelPair()
  const received: Message[] = []
  const answers = new Map<unknown, (response: Response) => void>()
  let asked = 0
  const send: Odd['send'] = (message) => void far.send(message as Message)
  far.receive(
    (one) => {
      const message = ('value' in one ? one.value : {}) as Request
      received.push(message)
      if (message.method === undefined) return answers.get(message.id)?.(message as unknown as Response)
      const reply: Reply | undefined = { ...HANDSHAKE, ...replies }[message.method]
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
    ask: (method, params, id = `odd-${++asked}`) =>
      new Promise((resolve) => {
        answers.set(id, resolve)
        send({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })
      }),
    end: () => far.close(),
  }
}
