import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HALF, type PlainRequest, readPlainRequest } from './request.ts'

const LIMITS = { maxHeaderBytes: 2000, maxBodyBytes: 1000 }
const read = (text: string) => readPlainRequest(Buffer.from(text), LIMITS) as PlainRequest

const HOST = 'Host: localhost\r\n'
const plain = (fields = HOST, body = '{}') =>
  `POST /mcp HTTP/1.1\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

test('a plain request is read', () => {
  const request = read(plain('HOST: a\r\nX-Empty:\r\nX-Wide:  two words \r\nConnection: Keep-Alive\r\n', '{"a":"ä€😀"}'))
  expect(request.target).toBe('/mcp')
  expect(request.body).toBe('{"a":"ä€😀"}')
  expect(Object.fromEntries(request.headers)).toEqual({
    host: 'a',
    'x-empty': '',
    'x-wide': 'two words',
    connection: 'Keep-Alive',
    'content-length': '17',
  })
  expect(read(plain(undefined, '')).body).toBe('')
})

test('half a plain request is told', () => {
  expect(read(plain().slice(0, -1))).toBe(HALF)
  expect(read(plain().slice(0, -2))).toBe(HALF)
})

describe('is not plain:', () => {
  test.each([
    ['another method', plain().replace('POST', 'GET')],
    ['a method in lower case', plain().replace('POST', 'post')],
    ['another version', plain().replace('HTTP/1.1', 'HTTP/1.0')],
    ['a whole URL as the target', plain().replace('/mcp', 'http://localhost/mcp')],
    ['a space in the target', plain().replace('/mcp', '/m cp')],
    ['a byte above 127 in the target', plain().replace('/mcp', '/mcpä')],
    ['an empty line before it', `\r\n${plain()}`],
    ['no header', 'POST /mcp HTTP/1.1\r\n\r\n'],
    ['no length', `POST /mcp HTTP/1.1\r\n${HOST}\r\n{}`],
    ['two lengths', plain('Content-Length: 2\r\n')],
    ['a length with a sign', plain().replace('Length: 2', 'Length: +2')],
    ['a length with a zero in front', plain().replace('Length: 2', 'Length: 02')],
    ['a list of lengths', plain().replace('Length: 2', 'Length: 2, 2')],
    ['chunks', plain('Transfer-Encoding: chunked\r\n')],
    ['chunks, in another case', plain('TRANSFER-ENCODING: chunked\r\n')],
    ['an expectation', plain('Expect: 100-continue\r\n')],
    ['an upgrade', plain('Upgrade: websocket\r\n')],
    ['a connection that ends', plain('Connection: close\r\n')],
    ['a connection with more options', plain('Connection: keep-alive, te\r\n')],
    ['a header twice', plain(`${HOST}host: b\r\n`)],
    ['a tab in a value', plain('X-A: a\tb\r\n')],
    ['a connection that ends at a proxy', plain('Proxy-Connection: close\r\n')],
    ['a line that goes on', plain('X-A: a\r\n b\r\n')],
    ['a space before the colon', plain('X-A : a\r\n')],
    ['no name', plain(': a\r\n')],
    ['no colon', plain('X-A\r\n')],
    ['a line that ends without CR', plain('X-A: a\n')],
    ['a CR in a value', plain('X-A: a\rb\r\n')],
    ['a NUL in a value', plain('X-A: a\0b\r\n')],
    ['a byte above 127 in a value', plain('X-A: ä\r\n')],
    ['half a head', plain().slice(0, 30)],
    ['the beginning of a body of many digits', plain().replace('Length: 2', 'Length: 100000')],
    ['more than one request', plain() + plain()],
    ['a byte too many', `${plain()}\n`],
    ['a large head', plain(`X-A: ${'a'.repeat(2000)}\r\n`)],
    ['a large body', plain(HOST, 'x'.repeat(1001))],
    ['a body that is not UTF-8', Buffer.concat([Buffer.from(plain(HOST, '')), Buffer.from([0xff])]).toString('latin1')],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(readPlainRequest(Buffer.from(text, 'latin1'), LIMITS)).toBeUndefined()
  })

  test('bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(plain(HOST, 'xx').slice(0, -2)), Buffer.from([0xc0, 0x80])])
    expect(readPlainRequest(bytes, LIMITS)).toBeUndefined()
  })
})

describe('beside the parser of Node', () => {
  let port: number
  let seen: Array<Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }> = []
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    seen.push({ method, url, headers: { ...headers }, body: Buffer.concat(chunks).toString() })
    response.end('ok')
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  /** What Node's parser makes of the bytes: all requests that it finds in them. */
  async function readByNode(bytes: Buffer) {
    seen = []
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', () => socket.destroy()).on('error', () => {})
      socket.on('close', () => resolve())
    })
    return seen
  }

  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/)
  const value = fc.oneof(fc.stringMatching(/^[\t -~]{0,20}$/), fc.string({ maxLength: 6, unit: 'binary-ascii' }))
  const known = fc.constantFrom(
    'Host',
    'host',
    'Accept',
    'Connection',
    'Transfer-Encoding',
    'Content-Length',
    'Expect',
    'X-A',
    'Cookie',
  )
  const telling = fc.constantFrom('close', 'keep-alive', 'Keep-Alive', 'chunked', '2', '0', '100-continue', 'a', ' a ', '')
  const field = fc.oneof(
    { arbitrary: fc.tuple(token, fc.stringMatching(/^[\t -~]{0,20}$/)), weight: 3 },
    fc.tuple(token, value),
    fc.tuple(known, telling),
    fc.tuple(known, value),
  )
  const requests = fc
    .record({
      target: fc.oneof(fc.webPath(), fc.constant('/mcp'), fc.stringMatching(/^\/[!-~]{0,10}$/)),
      fields: fc.array(field, { maxLength: 4 }),
      body: fc.oneof(fc.json(), fc.string({ unit: 'binary', maxLength: 20 })),
      ending: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'),
    })
    .map(({ target, fields, body, ending }) => {
      const lines = fields.map(([name, said]) => `${name}: ${said}${ending}`).join('')
      return Buffer.from(
        `POST ${target} HTTP/1.1${ending}${lines}Content-Length: ${Buffer.byteLength(body)}${ending}${ending}${body}`,
      )
    })
  /** Most are plain, some of the others are nearly. */
  const broken = fc.tuple(requests, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(3)).map(([bytes, at, byte, chance]) => {
    if (chance === 0) bytes[at % bytes.length] = byte
    return bytes
  })

  test('whatever is read here as plain, Node reads the same, and as the only request', async () => {
    let plains = 0
    await fc.assert(
      fc.asyncProperty(broken, async (bytes) => {
        const request = readPlainRequest(bytes, LIMITS)
        if (!request || request === HALF) return
        plains++
        const { target: url, headers, body } = request
        expect(await readByNode(bytes)).toEqual([{ method: 'POST', url, headers: Object.fromEntries(headers), body }])
      }),
      { numRuns: 1500 },
    )
    expect(plains).toBeGreaterThan(150)
  })
})
