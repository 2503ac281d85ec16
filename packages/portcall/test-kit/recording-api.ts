/** An API that records requests, and the tools that a description of it becomes, for tests. */
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'portcall/client'
import { fromOpenAPI, type OpenApiOptions } from 'portcall/openapi'
import { onTestFinished } from 'vitest'

/** A request that the API received. */
export interface Received {
  readonly line: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers a request. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void
/** Answers with `{ "ok": true }`. */
export const sendOk: Answer = (_request, response) =>
  void response.setHeader('content-type', 'application/json').end('{"ok":true}')

/** Starts an API that records requests. It stops when the test has finished. */
export async function startApi(answer: Answer = sendOk): Promise<{ readonly url: string; readonly received: Received[] }> {
  const received: Received[] = []
  const server = createHttpServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ line: `${request.method} ${request.url}`, headers: request.headers, body })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

/** Returns a description with some paths. */
export const describeApi = (paths: object, rest: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 't', version: '1' },
  paths,
  ...rest,
})

/** Serves a description, until the test has finished. `tool` is the first tool, and `call` calls it. */
export async function serve(description: object, options: OpenApiOptions) {
  const server = await fromOpenAPI(description, options)
  const client = await connect(server)
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  const problems = server.openapi.issues.map(({ problem }) => problem)
  const call = (args: object = {}) => client.callTool(tool?.name ?? '', args as Record<string, unknown>)
  return { client, tool, call, problems, server }
}

/** Returns a parameter of the query, or what `members` make of it. */
export const param = (name: string, members: object = {}): object => ({
  name,
  in: 'query',
  schema: { type: 'string' },
  ...members,
})
