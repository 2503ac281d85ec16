import { expect } from 'vitest'
import {
  type Counts,
  freshId,
  type Health,
  INITIALIZE,
  modernRequest,
  type Params,
  type Reply,
  request,
  textOf,
  tool,
} from './messages.ts'
import { type ProcessOptions, type ServerProcess, startProcess, untilTestEnds } from './process.ts'
import { until } from './time.ts'

/** A server that is tested over stdio in raw lines. */
export interface StdioServer extends ServerProcess {
  /** All received messages, in order; a batch counts as one. */
  readonly messages: Reply[]
  /** Lines on stdout that are not JSON. */
  readonly garbage: string[]
  /** Writes bytes unchanged. */
  write(bytes: string | Uint8Array): void
  /** Writes a message and its newline. */
  send(...messages: unknown[]): void
  /** Waits for the first matching message from index `from` on. */
  next(fits: (message: Reply) => boolean, options?: { from?: number }): Promise<Reply>
  /** Sends a request unchanged and waits for the response with exactly its id. */
  ask(message: Params): Promise<Reply>
  /** Calls a tool in the modern era. */
  call(name: string, args?: Params, meta?: Params): Promise<Reply>
  initialize(revision?: string): Promise<Reply>
  /** Sends a new request and expects a correct response within two seconds. */
  healthy(): Promise<void>
  health(): Promise<Health>
  counts(): Promise<Counts>
}

/** Starts a server on stdio until the test ends. */
export function testStdio(options: ProcessOptions & { reads?: boolean } = {}): StdioServer {
  return untilTestEnds(startStdio(options))
}

/** Starts a server on stdio. */
export function startStdio({ reads = true, ...options }: ProcessOptions & { reads?: boolean } = {}): StdioServer {
  const started = startProcess({ ...options, transport: 'stdio' })
  const { child } = started
  const messages: Reply[] = []
  const garbage: string[] = []
  const collector = createCollector(messages, garbage)
  if (reads) child.stdout.on('data', collector)

  const server: StdioServer = {
    ...started,
    messages,
    garbage,
    write: (bytes) => void child.stdin.write(bytes),
    send: (...all) => void child.stdin.write(all.map((message) => `${JSON.stringify(message)}\n`).join('')),
    async next(fits, { from = 0 } = {}) {
      let found: Reply | undefined
      await until(() => (found = messages.slice(from).find(fits)) !== undefined, 'an answer')
      return found!
    },
    ask(message) {
      const from = messages.length
      server.send(message)
      return server.next((reply) => reply.id === message.id && reply.method === undefined, { from })
    },
    call: (name, args, meta) => server.ask(modernRequest('tools/call', tool(name, args, meta))),
    async initialize(revision = INITIALIZE.protocolVersion) {
      const answer = await server.ask(request('initialize', { ...INITIALIZE, protocolVersion: revision }))
      server.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      return answer
    },
    async healthy() {
      const text = freshId()
      const answer = await server.ask(modernRequest('tools/call', tool('echo', { text })))
      expect(textOf(answer)).toBe(text)
      expect(garbage).toEqual([])
    },
    health: async () => JSON.parse(textOf(await server.call('health')) ?? '') as Health,
    counts: async () => JSON.parse(textOf(await server.call('counts')) ?? '') as Counts,
  }
  return server
}

/** Splits input into lines; the chunks of a long line are joined once. */
function createCollector(messages: Reply[], garbage: string[]): (chunk: Buffer) => void {
  let pieces: Buffer[] = []
  const take = (line: string): void => {
    try {
      messages.push(JSON.parse(line) as Reply)
    } catch {
      garbage.push(line)
    }
  }
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      take(Buffer.concat([...pieces, chunk.subarray(start, end)]).toString('utf8'))
      pieces = []
      start = end + 1
    }
    pieces.push(chunk.subarray(start))
  }
}
