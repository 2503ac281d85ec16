/** Connections on which two HTTP parsers are likely to disagree. `statuses` are the responses of both. */
import type { Case } from './case.ts'

/** A case whose responses are known. */
export interface KnownCase extends Case {
  readonly statuses: readonly number[]
}

const META = '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
const body = (tag: string, tool = 'mark'): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":{"tag":"${tag}"},"_meta":${META}}}`
const HEAD = [
  'POST /mcp HTTP/1.1',
  'Host: localhost',
  'Accept: application/json, text/event-stream',
  'Content-Type: application/json',
  'MCP-Protocol-Version: 2026-07-28',
  'Mcp-Method: tools/call',
].join('\r\n')

/** A call with these additional header lines. */
function call(tag: string, extra: string[] = [], tool = 'mark'): string {
  const content = body(tag, tool)
  return [HEAD, `Mcp-Name: ${tool}`, `Content-Length: ${content.length}`, ...extra, '', content].join('\r\n')
}

/** A call whose length is stated in another way. */
function framed(lines: string[], content: string): string {
  return [HEAD, 'Mcp-Name: mark', ...lines, '', content].join('\r\n')
}

const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`
const GET = 'GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n'
const size = body('a').length

const CASES: ReadonlyArray<readonly [name: string, steps: Case['steps'], statuses: number[], leave?: Case['leave']]> = [
  ['one call', [call('a')], [200]],
  ['two calls, one after the other', [call('a'), 20, call('b')], [200, 200]],
  ['pipelined calls', [call('a') + call('b') + call('c')], [200, 200, 200]],
  ['a call behind a running one', [call('a', [], 'later'), 1, call('b')], [200, 200]],
  ['head and body in two pieces', [call('a').slice(0, -size), 3, body('a')], [200]],
  ['three pieces', [call('a').slice(0, 40), 3, call('a').slice(40, -10), 3, call('a').slice(-10)], [200]],
  ['a long pause in the body', [call('a').slice(0, -5), 300, call('a').slice(-5)], [200]],
  ['an unfinished body', [call('a').slice(0, -5)], [400]],
  ['an unfinished head', [call('a').slice(0, 60)], [400]],
  ['nothing', [], []],
  ['a call, then an unfinished one', [call('a') + call('b').slice(0, -5)], [200, 400]],
  ['a call, then bytes that are not HTTP', [`${call('a')}NOT HTTP\r\n\r\n`], [200, 400]],
  ['a running call, then bytes that are not HTTP', [call('a', [], 'later'), 1, 'NOT HTTP\r\n\r\n'], [200, 400]],
  ['only bytes that are not HTTP', ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc'], [400]],
  ['an empty line first', [`\r\n${call('a')}`], [200]],
  ['Transfer-Encoding, empty, and Content-Length', [call('a', ['Transfer-Encoding:']) + call('b')], [400]],
  ['Transfer-Encoding: chunked and Content-Length', [call('a', ['Transfer-Encoding: chunked']) + call('b')], [400]],
  ['Transfer-Encoding: identity and Content-Length', [call('a', ['Transfer-Encoding: identity']) + call('b')], [400]],
  ['Transfer-Encoding, empty', [framed(['Transfer-Encoding:'], body('a'))], [400]],
  ['Transfer-Encoding: gzip, chunked', [framed(['Transfer-Encoding: gzip, chunked'], `${chunk(body('a'))}0\r\n\r\n`)], [400]],
  ['chunked', [framed(['Transfer-Encoding: chunked'], `${chunk(body('a'))}0\r\n\r\n`) + call('b')], [200, 200]],
  [
    'chunked, in pieces',
    [framed(['Transfer-Encoding: chunked'], chunk(body('a'))), 3, '0\r\n', 3, '\r\n', 3, call('b')],
    [200, 200],
  ],
  ['a bad chunk size', [framed(['Transfer-Encoding: chunked'], `zz\r\n${body('a')}\r\n0\r\n\r\n`) + call('b')], [400]],
  ['the same length twice', [call('a', [`Content-Length: ${size}`])], [400]],
  ['two lengths', [call('a', ['Content-Length: 0']) + call('b')], [400]],
  ['a length with a plus sign', [framed([`Content-Length: +${size}`], body('a'))], [400]],
  ['a length with a leading zero', [framed([`Content-Length: 0${size}`], body('a'))], [200]],
  ['a space before the colon', [framed([`Content-Length : ${size}`], body('a'))], [400]],
  ['a folded header', [call('a', ['X-A: 1', ' 2'])], [400]],
  ['bare line feeds', [call('a').replaceAll('\r\n', '\n')], [400]],
  ['a NUL in a header', [call('a', ['X-A: a\0b'])], [400]],
  ['headers of 17 KB', [call('a', [`X-A: ${'x'.repeat(17_000)}`])], [431]],
  ['headers of 15 KB', [call('a', [`X-A: ${'x'.repeat(15_000)}`])], [200]],
  ['a body that is too large', [framed(['Content-Length: 5000'], ' '.repeat(5000))], [413]],
  ['a call, then a body that is too large', [call('a') + framed(['Content-Length: 5000'], ' '.repeat(5000))], [200, 413]],
  ['Connection: close', [call('a', ['Connection: close'])], [200]],
  ['bytes behind Connection: close', [call('a', ['Connection: close']) + call('b')], [200]],
  ['Expect: 100-continue', [call('a', ['Expect: 100-continue'])], [100, 200]],
  ['another expectation', [call('a', ['Expect: x'])], [417]],
  ['Upgrade', [call('a', ['Connection: upgrade', 'Upgrade: websocket'])], [200]],
  ['HTTP/1.0', [call('a').replace('HTTP/1.1', 'HTTP/1.0')], [200]],
  ['no Host', [call('a').replace('Host: localhost\r\n', '')], [400]],
  ['two Hosts', [call('a', ['Host: localhost'])], [400]],
  ['another target', [call('a').replace('/mcp', '/other')], [404]],
  ['a target with an authority', [call('a').replace('/mcp', 'http://evil.example/mcp')], [403]],
  ['GET between calls', [call('a') + GET + call('b')], [200, 400, 200]],
  ['a call, and the client leaves', [call('a')], [], 'end at once'],
  ['a running call, and the client resets', [call('a', [], 'later'), 1], [], 'reset'],
]

/** All cases. The statuses of a client that does not wait are not known. */
export const CORPUS: readonly KnownCase[] = CASES.map(([name, steps, statuses, leave = 'end']) => ({
  name,
  steps,
  statuses,
  leave,
}))
