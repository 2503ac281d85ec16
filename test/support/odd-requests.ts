/** Requests that no server expects, sent as raw bytes. */
import { connect } from 'node:net'

export const ODD_TARGETS = [
  '//',
  '///',
  '//evil.example/mcp',
  '//:',
  '//[',
  '//@',
  '//a:b:c/',
  '/\\',
  '\\',
  '/%',
  '/%zz',
  '/%E0%A4',
  '/%00',
  '/?%',
  '/?%E0%A4=%',
  '/#',
  '/?a=b?c=/d',
  '/../..',
  '/./.',
  '/;x',
  '/ä',
  '*',
  '**',
  'x',
  ':',
  '://',
  '?',
  '#',
  '%',
  'http:',
  'http://',
  'http://[',
  'http://:x/',
  'http://a:b:c/%zz',
  'http:///',
  'http://127.0.0.1',
  'HTTP://127.0.0.1//',
  'file:///etc/passwd',
  'javascript:1',
  '127.0.0.1:80',
  `/${'a/'.repeat(3000)}`,
  `/?${'a=b&'.repeat(1500)}`,
  `/${'%25'.repeat(2000)}`,
] // prettier-ignore

/** Suffixes of the known paths, which reach the handlers behind them. */
export const SUFFIXES = [
  '',
  '/',
  '//',
  '?',
  '?%',
  '?%E0%A4%A',
  '?state=%&code=%00',
  '?state=a&state=b',
  '?after=%',
  '?after=-1e999',
  '#',
  '/%',
  '/..',
  '%00',
]

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND']

export const ODD_HEADERS: ReadonlyArray<readonly [name: string, value: string]> = [
  ['Authorization', 'Basic %%%'],
  ['Authorization', 'Basic Zm9vJTp4JQ=='],
  ['Authorization', 'Bearer '],
  ['Authorization', 'Bearer a b'],
  ['Authorization', 'DPoP x'],
  ['Authorization', '\u00e4'],
  ['Cookie', ';;=;a=%;portcall-connect=%;portcall-user=x.y'],
  ['Cookie', '__proto__=1; portcall_inspector='],
  ['Content-Type', ';'],
  ['Content-Type', 'application/json;charset=;='],
  ['Content-Type', 'application/x-www-form-urlencoded'],
  ['Content-Type', 'multipart/form-data'],
  ['Content-Encoding', 'gzip'],
  ['Accept', ',;q=,*/*;q=x'],
  ['Accept', 'text/event-stream'],
  ['Origin', 'http://['],
  ['Origin', 'null'],
  ['Forwarded', 'for="'],
  ['X-Forwarded-For', '%,['],
  ['X-Forwarded-Proto', '\t'],
  ['Last-Event-ID', '%'],
  ['Last-Event-ID', '-1'],
  ['Mcp-Session-Id', '%00'],
  ['MCP-Protocol-Version', '2026-07-28'],
  ['MCP-Protocol-Version', '__proto__'],
  ['Mcp-Method', '=?base64?%?='],
  ['DPoP', 'a.b.c'],
  ['DPoP', '..'],
  ['traceparent', '00-x'],
  ['Expect', '200-ok'],
  ['Upgrade', 'websocket'],
  ['Range', 'bytes=9-1'],
  ['If-None-Match', '"'],
  ['Sec-Fetch-Site', 'x'],
  ['Access-Control-Request-Headers', '%,,'],
  ['Idempotency-Key', '"'],
] // prettier-ignore

export const ODD_BODIES = [
  '',
  ' ',
  '{',
  'null',
  '[]',
  '[[]]',
  '0',
  '"',
  '{}',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  '%',
  '%=%&=&&a',
  '\u0000',
  '\u00ff\u00fe',
  `${'['.repeat(5000)}`,
  '{"name":{},"params":[]}',
  '{"jsonrpc":"2.0","id":{},"method":[]}',
] // prettier-ignore
export const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain']

const AT_ONCE = 20

export interface RawRequest {
  readonly method: string
  readonly target: string
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
  readonly body?: string
}

/** Sends a request as it is and returns the status; 0 if the connection was closed without a response. */
export function statusOf(port: number, { method, target, headers = [], body }: RawRequest): Promise<number> {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body, 'latin1')}`]),
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`, 'latin1'))
    const finish = (): void => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0))
    socket.setTimeout(30_000, () => reject(new Error(`no response to ${method} ${target}`)))
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
      // A stream goes on after its head.
      if (/^HTTP\/1\.1 \d{3}/.test(received)) socket.end()
    })
    socket.on('error', reject)
    socket.on('close', finish)
  })
}

/** Returns the requests that get no response, or one of 5xx. */
export async function failures(port: number, requests: readonly RawRequest[]): Promise<readonly string[]> {
  const found: string[] = []
  for (let at = 0; at < requests.length; at += AT_ONCE)
    await Promise.all(
      requests.slice(at, at + AT_ONCE).map(async (request) => {
        const status = await statusOf(port, request)
        if (status >= 200 && status < 500) return
        found.push(`${status} ${request.method} ${request.target} ${JSON.stringify([request.headers, request.body])}`)
      }),
    )
  return found
}
