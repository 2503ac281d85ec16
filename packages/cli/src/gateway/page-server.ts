import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HookRequest, OnRequest } from 'portcall/http'
import { answerSafely } from '../../../util/src/answer-safely.ts'
import { countHeader } from '../../../util/src/header-names.ts'

/** A server on the loopback interface for the pages of a gateway that serves its clients over stdio. */
export interface PageServer {
  readonly origin: string
  /** Serves these pages. Until then, every page is missing. */
  serve(pages: OnRequest): void
}

const HOST = '127.0.0.1'

/** Starts a page server on a free port. It does not keep the process running. */
export async function startPageServer(): Promise<PageServer> {
  let pages: OnRequest = () => undefined
  let authority = ''
  const server = createServer((request, response) => {
    request.resume()
    answerSafely(response, async () => {
      // Another name for this address would let a web page read the responses.
      const found = request.headers.host === authority ? await pages(toHookRequest(request)) : undefined
      respond(response, found ?? { status: 404, body: 'Not found' })
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve))
  server.unref()
  authority = `${HOST}:${(server.address() as AddressInfo).port}`
  return {
    origin: `http://${authority}`,
    serve(next) {
      pages = next
    },
  }
}

/** Returns a free port of the loopback interface. */
export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, HOST, resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

function toHookRequest({ method = 'GET', url = '/', headers, rawHeaders, socket }: IncomingMessage): HookRequest {
  return {
    method,
    target: url,
    header: (name) => headers[name]?.toString(),
    headerCount: (name) => countHeader(rawHeaders, name),
    remoteAddress: socket.remoteAddress,
    readBody: () => ({ text: '' }),
  }
}

type PageResponse = NonNullable<Awaited<ReturnType<OnRequest>>>

function respond(response: ServerResponse, { status, headers = {}, body = '' }: PageResponse): void {
  response.writeHead(status, { 'cache-control': 'no-store', ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}
