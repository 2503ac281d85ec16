/** The parser of the fast path: it accepts only what the parser of `node:http` reads as the same, single request. */
import { createRequire } from 'node:module'
import { INCOMPLETE, parseRequest } from '../../../packages/portcall/src/transports/http/server/fast-path/http1.ts'
import { check } from './pieces.ts'

const LIMITS = { maxHeaderBytes: 16 * 1024, maxBodyBytes: 64 * 1024 }

interface NodeRequest {
  method: string
  url: string
  headers: string[]
  body: string
  isComplete: boolean
}

type Listener = (...args: never[]) => unknown
interface NodeParser {
  [event: number]: Listener | null
  initialize(type: number, resource: object, maxHeaderSize?: number, leniency?: number): void
  execute(bytes: Buffer): number | Error
  close(): void
}
interface ParserBinding {
  readonly methods: readonly string[]
  readonly HTTPParser: {
    new (): NodeParser
    readonly [name: string]: number
  }
}

const { HTTPParser, methods } = createRequire(__filename)('_http_common') as ParserBinding
const constant = (name: string): number => HTTPParser[name] as number

/** Parses bytes as Node's HTTP server does. */
function parseByNode(bytes: Buffer): { requests: NodeRequest[]; failed: boolean } {
  const requests: NodeRequest[] = []
  const parser = new HTTPParser()
  parser.initialize(constant('REQUEST'), {}, LIMITS.maxHeaderBytes, 0)
  let headers: string[] = []
  let url = ''
  parser[constant('kOnHeaders')] = (more: string[], part: string) => {
    headers.push(...more)
    url += part
  }
  parser[constant('kOnHeadersComplete')] = (
    _major: number,
    _minor: number,
    rest: string[] | undefined,
    method: number,
    to: string,
  ) => {
    requests.push({ method: methods[method] ?? '', url: to ?? url, headers: rest ?? headers, body: '', isComplete: false })
    headers = []
    url = ''
    return 0
  }
  parser[constant('kOnBody')] = (chunk: Buffer, start?: number, length?: number) => {
    const part = start === undefined ? chunk : chunk.subarray(start, start + (length ?? 0))
    const request = requests.at(-1)
    if (request) request.body += part.toString('latin1')
  }
  parser[constant('kOnMessageComplete')] = () => {
    const request = requests.at(-1)
    if (request) request.isComplete = true
  }
  const result = parser.execute(bytes)
  parser.close()
  return { requests, failed: result instanceof Error }
}

export function fuzz(data: Buffer): void {
  const request = parseRequest(data, LIMITS)
  if (request === undefined) return
  const { requests, failed } = parseByNode(data)
  check(!failed, 'Node accepts what the fast path accepts')
  const [only, ...others] = requests
  if (!only) throw new Error('Node finds a request')
  check(others.length === 0, 'there is one request')
  if (request === INCOMPLETE) return check(!only.isComplete, 'Node waits for the rest, too')
  check(only.method === request.method, 'the methods are equal')
  check(only.isComplete, 'it is complete')
  check(only.url === request.target, 'the targets are equal')
  check(Buffer.from(only.body, 'latin1').toString() === request.body, 'the bodies are equal')
  check(only.headers.length === 2 * [...request.headers].length, 'no header was sent twice')
  for (let at = 0; at < only.headers.length; at += 2) {
    const name = only.headers[at] ?? ''
    check(request.headers.get(name.toLowerCase()) === only.headers[at + 1]?.trim(), 'the headers are equal')
  }
}
