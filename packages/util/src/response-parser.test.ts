import { describe, expect, test } from 'vitest'
import { type HeaderLines, ResponseParser } from './response-parser.ts'

/** The report of a parser about one response: its status, a header, its body, and whether the connection is reusable. */
interface Parsed {
  status: number
  headers: HeaderLines | undefined
  body: string
  isReusable: boolean | undefined
}

/** Parses the pieces of the bytes of a connection, as the response to one request. */
function parse(pieces: readonly Buffer[], isEnded = false): Parsed {
  const parsed: Parsed = { status: 0, headers: undefined, body: '', isReusable: undefined }
  const parser = new ResponseParser({
    onHead({ status, headers }) {
      parsed.status = status
      parsed.headers = headers
    },
    onData: (chunk) => void (parsed.body += chunk.toString('latin1')),
    onEnd: (isReusable) => void (parsed.isReusable = isReusable),
  })
  parser.start()
  for (const piece of pieces) parser.push(piece)
  if (isEnded) parser.end()
  return parsed
}

const parseText = (text: string, isEnded = false): Parsed => parse([Buffer.from(text, 'latin1')], isEnded)
const OK = 'HTTP/1.1 200 OK\r\n'

const COMPLETE: Record<string, { text: string; body: string; isReusable: boolean }> = {
  'a length': { text: `${OK}Content-Length: 5\r\n\r\nhello`, body: 'hello', isReusable: true },
  'a length of 0': { text: `${OK}Content-Length: 0\r\n\r\n`, body: '', isReusable: true },
  'no body': { text: 'HTTP/1.1 204 No Content\r\nX: y\r\n\r\n', body: '', isReusable: true },
  'chunks with an extension and a trailer': {
    text: `${OK}transfer-encoding: chunked\r\n\r\n3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nTrailer: x\r\n\r\n`,
    body: 'hello',
    isReusable: true,
  },
  'an interim response': {
    text: `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${OK}Content-Length: 2\r\n\r\nhi`,
    body: 'hi',
    isReusable: true,
  },
  'Connection: close': { text: `${OK}Connection: foo, Close\r\nContent-Length: 2\r\n\r\nhi`, body: 'hi', isReusable: false },
  'HTTP/1.0': { text: 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi', body: 'hi', isReusable: false },
  'HTTP/1.0 and keep-alive': {
    text: 'HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi',
    body: 'hi',
    isReusable: true,
  },
}

describe('a response with', () => {
  for (const [title, { text, body, isReusable }] of Object.entries(COMPLETE)) {
    test(`${title} is parsed, wherever it is split`, () => {
      const bytes = Buffer.from(text)
      for (let at = 0; at <= bytes.length; at++) {
        const parsed = parse([bytes.subarray(0, at), bytes.subarray(at)])
        expect([parsed.body, parsed.isReusable]).toEqual([body, isReusable])
      }
      expect(parse([...bytes].map((byte) => Buffer.of(byte)))).toMatchObject({ body, isReusable })
    })
  }

  test('neither a length nor chunks ends with the connection', () => {
    expect(parseText(`${OK}\r\nhello`, true)).toMatchObject({ status: 200, body: 'hello', isReusable: false })
  })

  test('repeated headers has their values joined', () => {
    const { headers } = parseText(`${OK}A: 1\r\nb-a: 3\r\na:2 \r\nContent-Length: 0\r\n\r\n`)
    expect(['a', 'content-length', 'b', 'b-a', 'length'].map((name) => headers?.get(name))).toEqual([
      '1, 2',
      '0',
      undefined,
      '3',
      undefined,
    ])
  })
})

const INVALID = {
  'another protocol': 'SSH-2.0-OpenSSH\r\n\r\n',
  'another version': 'HTTP/2.0 200 OK\r\n\r\n',
  'line feeds alone': 'HTTP/1.1 200 OK\nContent-Length: 0\n\r\n\r\n',
  'a folded header': `${OK}A: b\r\n c\r\n\r\n`,
  'a header without a name': `${OK}: b\r\n\r\n`,
  'a space before the colon': `${OK}A : b\r\n\r\n`,
  'a control character': `${OK}A: b\u0000\r\n\r\n`,
  'two lengths': `${OK}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`,
  'a length that is no number': `${OK}Content-Length: 1a\r\n\r\na`,
  'a length and chunks': `${OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n`,
  'an unknown encoding': `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`,
  'a chunk without a size': `${OK}Transfer-Encoding: chunked\r\n\r\n\r\na`,
  'a negative size': `${OK}Transfer-Encoding: chunked\r\n\r\n-1\r\na`,
  'a chunk that is too long': `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`,
  'a huge size': `${OK}Transfer-Encoding: chunked\r\n\r\n123456789abcdef\r\n`,
  'another protocol after the upgrade': 'HTTP/1.1 101 Switching Protocols\r\n\r\n',
  'a head that is too large': `${OK}A: ${'b'.repeat(20_000)}`,
  'a trailer that is too large': `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nA: ${'b'.repeat(20_000)}`,
  'more than one response': `${OK}Content-Length: 0\r\n\r\n${OK}`,
}

test.each(Object.entries(INVALID))('%s is an error', (_title, text) => {
  expect(() => parseText(text)).toThrow()
})

test.each([OK, `${OK}Content-Length: 5\r\n\r\nhell`, `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`])(
  'the end of the connection in the middle of a response is an error: %j',
  (text) => {
    expect(() => parseText(text, true)).toThrow('The connection was closed')
  },
)

test('the head of each response counts, whether or not it is the same as the one before', () => {
  const reported: string[] = []
  const parser = new ResponseParser({
    onHead: ({ status, headers }) => void reported.push(`${status} ${headers.get('content-length')}`),
    onData: (chunk) => void reported.push(chunk.toString()),
    onEnd: (isReusable) => void reported.push(String(isReusable)),
  })
  const close = `${OK}Content-Length: 2\r\nConnection: close\r\n\r\nef`
  for (const text of [`${OK}Content-Length: 2\r\n\r\nab`, `${OK}Content-Length: 2\r\n\r\ncd`, close]) {
    parser.start()
    parser.push(Buffer.from(text))
  }
  expect(reported).toEqual(['200 2', 'ab', 'true', '200 2', 'cd', 'true', '200 2', 'ef', 'false'])
})
