/** HTTP responses that are too large, too deeply nested, or unusually formatted. */
import { describe, expect, test } from 'vitest'
import { MIB, timed } from '../support/time.ts'
import { call, failureOf, healthy, open } from './support/connection.ts'
import { legacy, type Methods, modern, textResult } from './support/eras.ts'
import { measure } from './support/measure.ts'
import { type Handler, head, type RawAnswer, type RawRequest, testRaw } from './support/raw-server.ts'

const ERAS: ReadonlyArray<readonly [revision: string, serve: (methods: Methods) => Handler]> = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
]

/** A server whose tool `big` misbehaves; all others are correct. */
function big(bad: Handler): Methods {
  return {
    'tools/call': (request, answer) =>
      request.message.params?.name === 'big' ? bad(request, answer) : answer.result(textResult('fine')),
  }
}

/** Writes a chunk repeatedly, as fast as it is read, until the connection is closed. */
function pour({ socket }: RawAnswer, piece: Buffer | string, times: number, done: () => void): void {
  let remaining = times
  const next = (): void => {
    while (remaining > 0 && !socket.destroyed) {
      remaining--
      if (!socket.write(piece)) return void socket.once('drain', next)
    }
    if (!socket.destroyed) done()
  }
  next()
}

const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const STREAM = { 'Content-Type': 'text/event-stream' }

describe.each(ERAS)('a server of %s', (_revision, serve) => {
  const bounded: ReadonlyArray<readonly [id: string, what: string, bad: Handler]> = [
    [
      'C20',
      '200 MB of a stream without the end of an event',
      (_, answer) => {
        answer.stream()
        answer.chunk('data: ')
        pour(answer, chunked('x'.repeat(MIB)), 200, answer.end)
      },
    ],
    [
      'C20',
      '200 MB of lines of one event',
      (_, answer) => {
        answer.stream()
        pour(answer, chunked(`data: ${'x'.repeat(1000)}\n`.repeat(1000)), 200, answer.end)
      },
    ],
    [
      'C21',
      'a JSON body of 150 MB',
      ({ message: { id } }, answer) => {
        const start = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`
        const end = '"}]}}'
        const length = start.length + 150 * MIB + end.length
        answer.write(head(200, { 'Content-Type': 'application/json', 'Content-Length': length }) + start)
        pour(answer, Buffer.alloc(MIB, 120), 150, () => answer.write(end))
      },
    ],
    [
      'C21',
      'an endless chunked JSON body',
      (_, answer) => {
        answer.write(head(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }))
        pour(answer, chunked('['.repeat(MIB)), 200, answer.end)
      },
    ],
    [
      'C29',
      'an error of 50 MB',
      (_, answer) => {
        answer.write(head(500, { 'Content-Type': 'text/plain', 'Content-Length': 50 * MIB }))
        pour(answer, Buffer.alloc(MIB, 120), 50, () => {})
      },
    ],
    [
      'C29',
      'an HTML page of 50 MB',
      (_, answer) => {
        answer.write(head(200, { 'Content-Type': 'text/html', 'Content-Length': 50 * MIB }))
        pour(answer, Buffer.alloc(MIB, 120), 50, () => {})
      },
    ],
  ]

  test.each(bounded)(
    '%s: %s: memory is bounded, the call fails, the next one succeeds',
    async (_id, _what, bad) => {
      const server = await testRaw(serve(big(bad)))
      const { outcome, grownBy, afterwards, ms } = await measure({ target: server.url })
      expect(['INVALID_RESPONSE', 'HTTP_STATUS']).toContain(outcome)
      expect(afterwards).toBe('fine')
      expect(grownBy).toBeLessThan(90 * MIB)
      expect(ms).toBeLessThan(40_000)
    },
    40_000,
  )

  test('C14: 100,000 notifications before the answer', async () => {
    const line = `data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n\n`
    const server = await testRaw(
      serve(
        big(({ message: { id } }, answer) => {
          answer.stream()
          pour(answer, chunked(line.repeat(1000)), 100, () => {
            answer.event({ jsonrpc: '2.0', id, result: textResult('through') })
            answer.end()
          })
        }),
      ),
    )
    const { outcome, grownBy } = await measure({ target: server.url })
    expect(outcome).toBe('through')
    expect(grownBy).toBeLessThan(120 * MIB)
  })

  const responseTo = ({ message: { id } }: RawRequest): string =>
    JSON.stringify({ jsonrpc: '2.0', id, result: textResult('zażółć 🦀') })
  const unusual: ReadonlyArray<readonly [id: string, what: string, bad: Handler]> = [
    [
      'C22a',
      'a BOM, comments, CRLF, and a message in two data lines, byte by byte',
      (request, answer) => {
        const [start, end] = responseTo(request).split(',"result"')
        const text = `\ufeff: hello\r\n\r\nevent: message\r\ndata: ${start}\r\ndata: ,"result"${end}\r\n\r\n`
        answer.stream()
        for (const byte of Buffer.from(text)) answer.chunk(Buffer.from([byte]))
        answer.end()
      },
    ],
    [
      'C22b',
      'lines that end with a bare CR',
      (request, answer) => {
        answer.stream()
        answer.chunk(`: hello\r\rdata: ${responseTo(request)}\r\r`)
        answer.end()
      },
    ],
    [
      'C22c',
      'a NUL in an id, unknown fields, no space after the colon',
      (request, answer) => {
        answer.stream()
        answer.chunk(`id: a\0b\nfoo: bar\nretry: soon\nnothing\ndata:${responseTo(request)}\n\n`)
        answer.end()
      },
    ],
    [
      'C22d',
      'invalid events and events of other types before the valid one',
      (request, answer) => {
        answer.stream()
        answer.chunk(
          'data: {"jsonrpc":\n\ndata: 42\n\ndata: null\n\ndata: []\n\ndata: text\n\nevent: ping\ndata: {}\n\nevent: endpoint\ndata: http://evil\n\n',
        )
        answer.event(responseTo(request))
        answer.end()
      },
    ],
    [
      'C22a',
      'a content type with parameters, in mixed case',
      (request, answer) => {
        answer.stream({ ...STREAM, 'Content-Type': 'Text/Event-Stream; Charset="UTF-8"' })
        answer.event(responseTo(request))
        answer.end()
      },
    ],
    [
      'C22a',
      'a JSON response that ends with the connection',
      (request, answer) => {
        answer.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\nConnection: close\r\n\r\n${responseTo(request)}`,
        )
        answer.close()
      },
    ],
    [
      'C22a',
      'a stream without chunks',
      (request, answer) => {
        answer.write(
          `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: ${responseTo(request)}\n\n`,
        )
      },
    ],
    [
      'C22a',
      'a stream that stays open after the response',
      (request, answer) => {
        answer.stream()
        answer.event(responseTo(request))
      },
    ],
    [
      'C22a',
      'a stream with more messages after the response',
      (request, answer) => {
        answer.stream()
        answer.event(responseTo(request))
        for (let at = 0; at < 100; at++)
          answer.event({ jsonrpc: '2.0', id: request.message.id, result: textResult(`more ${at}`) })
        answer.end()
      },
    ],
    [
      'C22a',
      'HTTP/1.0',
      (request, answer) => {
        answer.write(`HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${responseTo(request)}`)
        answer.close()
      },
    ],
    [
      'C22a',
      '100 Continue and early hints before the answer',
      (request, answer) => {
        answer.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n')
        answer.send(200, { 'Content-Type': 'application/json' }, responseTo(request))
      },
    ],
  ]

  test.each(unusual)('%s: %s', async (_id, _what, bad) => {
    const server = await testRaw(serve(big(bad)))
    const { client } = await open(server.url)
    expect(await call(client, 'big', {}, 3000)).toBe('zażółć 🦀')
    await healthy(client)
    expect(await timed(() => client.close())).toBeLessThan(5000)
  })

  const invalid: ReadonlyArray<readonly [id: string, what: string, bad: Handler]> = [
    [
      'C16',
      'invalid UTF-8 in JSON',
      (_, answer) => {
        answer.write(head(200, { 'Content-Type': 'application/json', 'Content-Length': 4 }))
        answer.write(Buffer.from([0x22, 0xff, 0xfe, 0x22]))
      },
    ],
    [
      'C16',
      'invalid UTF-8 in the only event',
      (_, answer) => {
        answer.stream()
        answer.chunk(Buffer.concat([Buffer.from('data: "'), Buffer.from([0xff, 0xc0, 0x80]), Buffer.from('"\n\n')]))
        answer.end()
      },
    ],
    [
      'C11',
      'JSON nested 500,000 levels deep',
      ({ message: { id } }, { send }) =>
        send(
          200,
          { 'Content-Type': 'application/json' },
          `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${'['.repeat(500_000)}${']'.repeat(500_000)}}`,
        ),
    ],
    [
      'C11',
      'an event nested 200,000 levels deep',
      ({ message: { id } }, answer) => {
        answer.stream()
        answer.event(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`)
        answer.end()
      },
    ],
    ['C29', 'an HTML page', (_, { send }) => send(200, { 'Content-Type': 'text/html' }, '<html>')],
    ['C29', 'no content type', (_, { send }) => send(200, {}, 'what')],
    ['C29', '202 without anything', (_, { send }) => send(202)],
    ['C29', '204', (_, { write }) => write(head(204))],
    ['C29', 'an empty JSON body', (_, { send }) => send(200, { 'Content-Type': 'application/json' })],
    ['C29', 'half a JSON text', (_, { send }) => send(200, { 'Content-Type': 'application/json' }, '{"jsonrpc":"2.0",')],
    ['C29', '502 of a proxy', (_, { send }) => send(502, { 'Content-Type': 'text/html' }, '<h1>Bad Gateway</h1>')],
    ['C29', '429 with Retry-After', (_, { send }) => send(429, { 'Retry-After': 1 }, 'slow down')],
    ['C29', 'a redirect to a file', (_, { send }) => send(302, { Location: 'file:///etc/passwd' })],
    ['C29', 'a redirect to nowhere', (_, { send }) => send(307)],
    ['C29', 'a status that does not exist', (_, { send }) => send(799)],
    [
      'C25',
      'two different Content-Length headers',
      (_, { write }) => write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'),
    ],
    [
      'C25',
      'a chunk with an invalid size',
      (_, answer) => {
        answer.stream()
        answer.write('zz\r\nhello\r\n')
      },
    ],
    ['C25', 'a head of 1 MB', (_, answer) => answer.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(MIB)}\r\n\r\n`)],
    [
      'C25',
      'unrequested gzip',
      (_, { send }) => send(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, '\x1f\x8b'),
    ],
  ]

  test.each(invalid)(
    '%s: %s: the call fails immediately with a typed error, and the next one succeeds',
    async (_id, _what, bad) => {
      const server = await testRaw(serve(big(bad)))
      const { client } = await open(server.url)
      const started = performance.now()
      const failure = await failureOf(client.callTool('big'), 3000)
      expect(performance.now() - started).toBeLessThan(15_000)
      expect(['INVALID_RESPONSE', 'CONNECTION_LOST', 'HTTP_STATUS']).toContain(failure.code)
      await healthy(client)
    },
  )
})

describe('a GET stream that misbehaves', () => {
  test('C20: an event beyond the limit ends the stream, which is reopened; calls continue', async () => {
    let gets = 0
    const server = await testRaw(
      legacy({
        GET: (_, answer) => {
          answer.stream()
          if (++gets === 1) pour(answer, chunked('x'.repeat(MIB)), 50, answer.end)
        },
      }),
    )
    const { client } = await open(server.url)
    await healthy(client)
    await expect.poll(() => gets, { timeout: 5000 }).toBe(2)
    await healthy(client)
  })
})
