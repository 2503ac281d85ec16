import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INCOMPLETE, parseRequest, type SimpleRequest } from './http1.ts'

const LIMITS = { maxHeaderBytes: 2000, maxBodyBytes: 1000 }
const parse = (text: string) => parseRequest(Buffer.from(text), LIMITS) as SimpleRequest

const HOST = 'Host: localhost\r\n'
const simple = (fields = HOST, body = '{}') =>
  `POST /mcp HTTP/1.1\r\n${fields}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const GET = `GET /mcp HTTP/1.1\r\n${HOST}\r\n`

test('a simple request is parsed', () => {
  const request = parse(simple('HOST: a\r\nX-Empty:\r\nX-Wide:  two words \r\nConnection: Keep-Alive\r\n', '{"a":"ä€😀"}'))
  expect(request.target).toBe('/mcp')
  expect(request.body).toBe('{"a":"ä€😀"}')
  expect(Object.fromEntries(request.headers)).toEqual({
    host: 'a',
    'x-empty': '',
    'x-wide': 'two words',
    connection: 'Keep-Alive',
    'content-length': '17',
  })
  expect(parse(simple(undefined, '')).body).toBe('')
})

test('a GET without a body is parsed', () => {
  expect(parse(simple()).method).toBe('POST')
  const { method, target, headers, body } = parse(GET)
  expect({ method, target, headers: [...headers], body }).toEqual({
    method: 'GET',
    target: '/mcp',
    headers: [['host', 'localhost']],
    body: '',
  })
})

test('an incomplete simple request is reported', () => {
  expect(parse(simple().slice(0, -1))).toBe(INCOMPLETE)
  expect(parse(simple().slice(0, -2))).toBe(INCOMPLETE)
})

describe('is not a simple request:', () => {
  test.each([
    ['another method', simple().replace('POST', 'PUT')],
    ['a GET with a body', simple().replace('POST', 'GET')],
    ['a GET with an empty body', simple(HOST, '').replace('POST', 'GET')],
    ['a GET with a length without digits', GET.replace(HOST, `${HOST}Content-Length:\r\n`)],
    ['a GET that another request follows', `${GET}${GET}`],
    ['a GET with a trailing byte', `${GET}\n`],
    ['an incomplete GET', GET.slice(0, -1)],
    ['a GET that closes the connection', GET.replace(HOST, `${HOST}Connection: close\r\n`)],
    ['a method in lower case', simple().replace('POST', 'post')],
    ['another version', simple().replace('HTTP/1.1', 'HTTP/1.0')],
    ['an absolute URL as the target', simple().replace('/mcp', 'http://localhost/mcp')],
    ['a space in the target', simple().replace('/mcp', '/m cp')],
    ['a byte above 127 in the target', simple().replace('/mcp', '/mcpä')],
    ['an empty line before it', `\r\n${simple()}`],
    ['no header', 'POST /mcp HTTP/1.1\r\n\r\n'],
    ['no length', `POST /mcp HTTP/1.1\r\n${HOST}\r\n{}`],
    ['two lengths', simple('Content-Length: 2\r\n')],
    ['a length with a sign', simple().replace('Length: 2', 'Length: +2')],
    ['a length with a leading zero', simple().replace('Length: 2', 'Length: 02')],
    ['a list of lengths', simple().replace('Length: 2', 'Length: 2, 2')],
    ['a chunked body', simple('Transfer-Encoding: chunked\r\n')],
    ['a chunked body, in another case', simple('TRANSFER-ENCODING: chunked\r\n')],
    ['an expectation', simple('Expect: 100-continue\r\n')],
    ['an upgrade', simple('Upgrade: websocket\r\n')],
    ['Connection: close', simple('Connection: close\r\n')],
    ['a Connection header with more options', simple('Connection: keep-alive, te\r\n')],
    ['a repeated header', simple(`${HOST}host: b\r\n`)],
    ['a tab in a value', simple('X-A: a\tb\r\n')],
    ['Proxy-Connection: close', simple('Proxy-Connection: close\r\n')],
    ['a folded line', simple('X-A: a\r\n b\r\n')],
    ['a space before the colon', simple('X-A : a\r\n')],
    ['a header without a name', simple(': a\r\n')],
    ['a header without a colon', simple('X-A\r\n')],
    ['a line that ends without CR', simple('X-A: a\n')],
    ['a CR in a value', simple('X-A: a\rb\r\n')],
    ['a NUL in a value', simple('X-A: a\0b\r\n')],
    ['a byte above 127 in a value', simple('X-A: ä\r\n')],
    ['an incomplete head', simple().slice(0, 30)],
    ['the start of a very large body', simple().replace('Length: 2', 'Length: 100000')],
    ['more than one request', simple() + simple()],
    ['a trailing byte', `${simple()}\n`],
    ['a large head', simple(`X-A: ${'a'.repeat(2000)}\r\n`)],
    ['a large body', simple(HOST, 'x'.repeat(1001))],
    ['a body that is not UTF-8', Buffer.concat([Buffer.from(simple(HOST, '')), Buffer.from([0xff])]).toString('latin1')],
    ['no bytes', ''],
  ])('%s', (_, text) => {
    expect(parseRequest(Buffer.from(text, 'latin1'), LIMITS)).toBeUndefined()
  })

  test('bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from(simple(HOST, 'xx').slice(0, -2)), Buffer.from([0xc0, 0x80])])
    expect(parseRequest(bytes, LIMITS)).toBeUndefined()
  })
})

describe('compared with the parser of Node', () => {
  let port: number
  let received: Array<Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }> = []
  const server = createServer({ requireHostHeader: false }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method, url, headers } = request
    received.push({ method, url, headers: { ...headers }, body: Buffer.concat(chunks).toString() })
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

  /** Returns all requests that Node's parser finds in the bytes. */
  async function parseByNode(bytes: Buffer) {
    received = []
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.on('data', () => socket.destroy()).on('error', () => {})
      socket.on('close', () => resolve())
    })
    return received
  }

  /** Node does not show a header `__proto__`. */
  const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/).filter((name) => name.toLowerCase() !== '__proto__')
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
  const values = fc.constantFrom('close', 'keep-alive', 'Keep-Alive', 'chunked', '2', '0', '100-continue', 'a', ' a ', '')
  const field = fc.oneof(
    { arbitrary: fc.tuple(token, fc.stringMatching(/^[\t -~]{0,20}$/)), weight: 3 },
    fc.tuple(token, value),
    fc.tuple(known, values),
    fc.tuple(known, value),
  )
  const requests = fc
    .record({
      method: fc.constantFrom('POST', 'POST', 'GET'),
      target: fc.oneof(fc.webPath(), fc.constant('/mcp'), fc.stringMatching(/^\/[!-~]{0,10}$/)),
      fields: fc.array(field, { maxLength: 4 }),
      body: fc.oneof(fc.json(), fc.string({ unit: 'binary', maxLength: 20 })),
      ending: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'),
    })
    .map(({ method, target, fields, body, ending }) => {
      const lines = fields.map(([name, value]) => `${name}: ${value}${ending}`).join('')
      const head = `${method} ${target} HTTP/1.1${ending}${lines}`
      const content = `Content-Length: ${Buffer.byteLength(body)}${ending}${ending}${body}`
      return Buffer.from(head + (method === 'GET' ? ending : content))
    })
  /** Requests, some of them with a byte in the place of another. */
  const broken = fc.tuple(requests, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.nat(3)).map(([bytes, at, byte, chance]) => {
    if (chance === 0) bytes[at % bytes.length] = byte
    return bytes
  })
  const parsed = (bytes: Buffer) => {
    const request = parseRequest(bytes, LIMITS)
    return request === INCOMPLETE ? undefined : request
  }

  test('Node parses every simple request to the same values, and as the only request', async () => {
    const simpleOnes = broken.filter((bytes) => parsed(bytes) !== undefined)
    await fc.assert(
      fc.asyncProperty(simpleOnes, async (bytes) => {
        const { method, target: url, headers, body } = parsed(bytes)!
        expect(await parseByNode(bytes)).toEqual([{ method, url, headers: Object.fromEntries(headers), body }])
      }),
      { numRuns: 300 },
    )
  })
})
