/** Random requests, valid and almost valid, from a seed. */
import { createRandom, type Random } from '../../../packages/portcall/test-kit/random.ts'
import type { Case, Step } from './case.ts'

/** Returns a generator of random cases; the same seed gives the same cases. */
export function createCases(seed: number): () => Case {
  const random = createRandom(seed)
  let count = 0
  return () => {
    const name = `seed ${seed}, case ${++count}`
    const requests = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3, 4]) }, (_, at) =>
      createRequest(random, `${count}.${at}`),
    )
    const bytes = Buffer.concat(requests)
    const steps = split(random.chance(0.2) ? mutate(bytes, random) : bytes, random)
    return { name, steps, leave: random.pick(['end', 'end', 'end', 'end at once', 'reset']) }
  }
}

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} }
const MODERN = ['MCP-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call']
const STANDARD = ['Host: localhost', 'Accept: application/json, text/event-stream', 'Content-Type: application/json']

const METHODS = ['GET', 'DELETE', 'PUT', 'OPTIONS', 'post', 'POSTX', 'PO ST', '']
const TARGETS = ['/mcp?x=1', '/other', '*', 'http://localhost/mcp', '/m cp', '//', '/\x7f', '/\xe4', 'mcp', '']
const VERSIONS = ['HTTP/1.0', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', 'HTTP/1.10', 'HTTP/01.1', 'HTTP/1', '']
const LINE_ENDS = ['\n', '\r', '\r\n ', '\r\r\n']

/** Headers that one parser might read and another one not. */
const ODD_HEADERS = [
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Keep-Alive, x',
  'Connection: upgrade\r\nUpgrade: websocket',
  'Upgrade: h2c',
  'Connection:',
  'Proxy-Connection: close',
  'Keep-Alive: timeout=1',
  'Expect: 100-continue',
  'Expect: something',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding:',
  'Transfer-Encoding: identity',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: \x0bchunked',
  'Content-Length:',
  'Content-Length: 0',
  'Content-Length : 3',
  'Content Length: 3',
  'Content-Length: 3, 3',
  'content-length: +3',
  'Content-Length: 0x10',
  'X-A: 1\r\n folded',
  'X-A:\tb\t',
  'X-A: a\0b',
  'X-A: \xe4\xff',
  'X-A: a\rb',
  'X-A: a\nb',
  `X-A: ${'x'.repeat(17_000)}`,
  'X-A',
  ': x',
  ' X-A: x',
  'X-\xe4: x',
  'X(A): x',
  'Host: localhost',
  'Host: evil.example',
  'Origin: http://evil.example',
  'Content-Type: text/plain',
  'Content-Encoding: gzip',
  'Accept: text/html',
  'Mcp-Name: other',
  'Mcp-Name: mark',
  '__proto__: x',
  'Trailer: Mcp-Name',
]

function createRequest(random: Random, tag: string): Buffer {
  const body = createBody(random, tag)
  const lineEnd = random.chance(0.04) ? random.pick(LINE_ENDS) : '\r\n'
  const odd = <T>(usual: T, others: readonly T[]): T => (random.chance(0.06) ? random.pick(others) : usual)
  const { header, content } = frame(random, body.bytes)
  const headers = [...STANDARD, ...body.headers, header].filter(() => !random.chance(0.01))
  while (random.chance(0.15)) headers.splice(random.below(headers.length + 1), 0, random.pick(ODD_HEADERS))
  if (random.chance(0.1)) headers.push(random.pick(headers))
  const cased = headers.map((line) => (random.chance(0.1) ? line.toLowerCase() : line))
  const first = `${odd('POST', METHODS)} ${odd('/mcp', TARGETS)} ${odd('HTTP/1.1', VERSIONS)}`
  const head = [first, ...cased, '', ''].join(lineEnd)
  return Buffer.concat([Buffer.from(odd('', ['\r\n', '\n', ' ', '\0']), 'latin1'), Buffer.from(head, 'latin1'), content])
}

function createBody(random: Random, tag: string): { headers: string[]; bytes: Buffer } {
  const name = random.chance(0.15) ? 'later' : 'mark'
  const call = (text: string): Buffer => {
    const params = { name, arguments: { tag, text }, _meta: META }
    return Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: tag, method: 'tools/call', params }))
  }
  const headers = [...MODERN, `Mcp-Name: ${name}`]
  const kinds: ReadonlyArray<() => { headers: string[]; bytes: Buffer }> = [
    ...Array.from({ length: 8 }, () => () => ({ headers, bytes: call('x') })),
    () => ({ headers, bytes: call('ä€😀') }),
    () => ({ headers, bytes: call('y'.repeat(1500)) }),
    () => ({ headers, bytes: Buffer.concat([call('x'), Buffer.from([0xff])]) }),
    () => ({ headers, bytes: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), call('x')]) }),
    () => ({ headers: [], bytes: call('x') }),
    () => ({ headers: [], bytes: Buffer.from('{"jsonrpc":"2.0","method":"notifications/initialized"}') }),
    () => ({ headers: [], bytes: Buffer.from(`${'['.repeat(200)}${']'.repeat(200)}`) }),
    () => ({ headers: [], bytes: Buffer.from('GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n') }),
    () => ({ headers: [], bytes: Buffer.alloc(0) }),
  ]
  return random.pick(kinds)()
}

/** Returns the header that frames a body, and the body in that form. */
function frame(random: Random, body: Buffer): { header: string; content: Buffer } {
  const { length } = body
  const fixed = (text: string | number): { header: string; content: Buffer } => ({
    header: `Content-Length: ${text}`,
    content: body,
  })
  if (random.chance(0.85)) return fixed(length)
  const middle = random.below(length + 1)
  const chunk = (bytes: Buffer, extension = ''): Buffer =>
    Buffer.concat([Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`), bytes, Buffer.from('\r\n')])
  const chunked = (end: string, extension = '', coding = 'chunked'): { header: string; content: Buffer } => ({
    header: `Transfer-Encoding: ${coding}`,
    content: Buffer.concat([
      ...[body.subarray(0, middle), body.subarray(middle)]
        .filter((part) => part.length > 0)
        .map((part) => chunk(part, extension)),
      Buffer.from(end),
    ]),
  })
  return random.pick<() => { header: string; content: Buffer }>([
    () => chunked('0\r\n\r\n'),
    () => chunked('0\r\n\r\n', '', 'Chunked'),
    () => chunked('0\r\n\r\n', ';a=b'),
    () => chunked('0\r\nMcp-Name: other\r\n\r\n'),
    () => chunked('00\r\n\r\n'),
    () => chunked('0\n\n'),
    () => chunked(''),
    () => chunked('0\r\n\r\n', '', 'gzip, chunked'),
    () => chunked('0\r\n\r\n', '', 'chunked\r\nContent-Length: 3'),
    () => chunked('0\r\n\r\n', '', `\r\nContent-Length: ${length}`),
    () => fixed(`${length}\r\nContent-Length: ${length}`),
    () => fixed(`${length}\r\nTransfer-Encoding:`),
    () => fixed(`${length}, ${length}`),
    () => fixed(`0${length}`),
    () => fixed(`+${length}`),
    () => fixed(`-${length}`),
    () => fixed(`${length}.0`),
    () => fixed(`${length} `),
    () => fixed(`0x${length.toString(16)}`),
    () => fixed('99999999999999999999'),
    () => fixed(length + 1),
    () => fixed(Math.max(0, length - 1)),
    () => fixed(0),
    () => fixed(''),
    () => ({ header: 'X-B: x', content: body }),
  ])()
}

/** Changes, removes, repeats or inserts some bytes. */
function mutate(bytes: Buffer, random: Random): Buffer {
  let result = bytes
  for (let count = 1 + random.below(3); count > 0; count--) {
    const at = random.below(result.length)
    const to = Math.min(result.length, at + 1 + random.below(8))
    const insert = random.pick([
      () => Buffer.of(random.below(256)),
      () => Buffer.of(random.pick([0, 9, 10, 13, 32, 58])),
      () => Buffer.alloc(0),
      () => Buffer.concat([result.subarray(at, to), result.subarray(at, to)]),
    ])()
    result = Buffer.concat([result.subarray(0, at), insert, result.subarray(random.chance(0.5) ? at + 1 : to)])
  }
  return result
}

/** Sends bytes in one or several pieces, with pauses between them. */
function split(bytes: Buffer, random: Random): Step[] {
  const pieces = random.pick([1, 1, 1, 2, 2, 3, 5, 20])
  const head = bytes.indexOf('\r\n\r\n') + 4
  const cuts = pieces === 2 && random.chance(0.6) ? [head] : Array.from({ length: pieces - 1 }, () => random.below(bytes.length))
  const bounds = [0, ...cuts.sort((a, b) => a - b), bytes.length]
  return bounds.slice(1).flatMap((to, at): Step[] => {
    const piece = bytes.subarray(bounds[at], to).toString('latin1')
    const pause = random.chance(0.01) ? 250 : random.pick([0, 0, 1, 3])
    return at === 0 ? [piece] : [pause, piece]
  })
}
