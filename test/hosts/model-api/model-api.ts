import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { JsonObject } from 'portcall/jsonrpc'
import { chatCompletions } from './chat-completions.ts'
import { generateContent } from './generate-content.ts'
import { messages } from './messages.ts'
import { responses } from './responses.ts'

/** A tool that a host offers to its model. */
export interface OfferedTool {
  readonly name: string
  /** The group of the tool, in APIs that have groups. It is a part of the name that the model sees. */
  readonly namespace?: string
  readonly description: string
  readonly schema: JsonObject
}

/** A request of a host to its model, in the terms that all APIs share. */
export interface ModelRequest {
  readonly tools: readonly OfferedTool[]
  /** The input of the model besides the tools and their results: system prompt and messages of the user. */
  readonly prompt: string
  /** The messages that the host added since the last call of the model, as it was sent. Empty if there was no call. */
  readonly afterCall: readonly unknown[]
}

/** An answer of the model: its last word, or a call of a tool. */
export type ModelReply = { readonly text: string } | { readonly call: OfferedTool; readonly args: JsonObject }

/** The wire format of one API. */
export interface WireFormat {
  /** The paths of its requests. */
  readonly path: RegExp
  read(body: JsonObject): ModelRequest
  /** Writes the answer, as a stream if the request asked for one. */
  write(response: ServerResponse, reply: ModelReply, request: { readonly url: string; readonly body: JsonObject }): void
}

/** A stand-in for the APIs of models, on loopback. */
export interface ModelApi {
  /** Its address, without a path. */
  readonly url: string
  close(): Promise<void>
}

const FORMATS: readonly WireFormat[] = [messages, responses, generateContent, chatCompletions]

/** Starts a stand-in that answers each request as `decide` says. */
export async function startModelApi(decide: (request: ModelRequest) => ModelReply): Promise<ModelApi> {
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { url = '', method } = incoming
    const sent = await text(incoming)
    const format = method === 'POST' ? FORMATS.find(({ path }) => path.test(url)) : undefined
    if (!format)
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"unknown"}}')
    const body = JSON.parse(sent) as JsonObject
    const request = format.read(body)
    format.write(response, request.tools.length > 0 ? decide(request) : { text: 'A short title' }, { url, body })
  }
  const server = createServer((incoming, response) => void answer(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}
