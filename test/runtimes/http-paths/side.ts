import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import type { Case } from './case.ts'

/** A response, without what differs from one server to the other. */
export interface PathResponse {
  readonly status: number
  readonly body: string
}

/** The reaction of a server to the bytes of one connection. */
export interface Outcome {
  readonly responses: readonly PathResponse[]
  /** The tags of the calls that ran. */
  readonly executed: readonly string[]
  /** True if the server closed the connection before the client did. */
  readonly closed: boolean
}

/** A connection of a case. */
export interface Attempt {
  outcome(): Outcome
  /** Reports whether nothing has happened for a while. */
  isQuiet(): boolean
  /** Resolves when the bytes were sent. */
  readonly sent: Promise<void>
  /** Ends the connection and waits until the server has closed it. */
  leave(): Promise<void>
}

/** A server that runs one case after the other. */
export interface Side {
  start(current: Case): Attempt
  close(): Promise<void>
}

/** How long nothing must happen on a quiet connection. */
const QUIET_MS = 15

/** The longest time that a server may take to close a connection that the client has ended. */
const CLOSE_MS = 10_000

/** Starts a server. */
export async function startSide({ fastPath }: { fastPath: boolean }): Promise<Side> {
  const executed: string[] = []
  const server = createServer({ name: 'paths', version: '1.0.0' })
  const input = { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] } as const
  server.tool('mark', { input }, ({ tag }) => {
    executed.push(tag)
    return tag
  })
  server.tool('later', { input }, async ({ tag }) => {
    executed.push(tag)
    await sleep(5)
    return tag
  })
  const serving = await serve(server, { port: 0, fastPath, maxBodyBytes: 4000, handleProcessSignals: false, drainTimeoutMs: 0 })
  return {
    start(current) {
      executed.length = 0
      return startAttempt(serving.port, current, executed)
    },
    close: () => serving.close(),
  }
}

/** Opens a connection and sends the bytes of a case. */
function startAttempt(port: number, { steps, leave }: Case, executed: readonly string[]): Attempt {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  let [text, lastAt, closed] = ['', performance.now(), false]
  const touch = (): void => void (lastAt = performance.now())
  socket.on('error', () => {})
  socket.on('end', () => (closed = true))
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1')
    touch()
  })
  const over = new Promise<void>((resolve) => void socket.once('close', resolve))
  const send = async (): Promise<void> => {
    await once(socket, 'connect')
    for (const step of steps)
      if (typeof step === 'number') await sleep(step)
      else if (socket.writable) socket.write(step, 'latin1')
    if (leave === 'reset') socket.resetAndDestroy()
    touch()
  }
  return {
    outcome: () => ({ responses: parse(text), executed: [...executed], closed: leave === 'end' && closed }),
    isQuiet: () => performance.now() - lastAt > QUIET_MS,
    sent: send(),
    async leave() {
      socket.end()
      const timer = setTimeout(() => socket.destroy(new Error('The server did not close the connection')), CLOSE_MS)
      await over.finally(() => clearTimeout(timer))
      if (leave !== 'end') await sleep(QUIET_MS)
    },
  }
}

/** Splits responses; their bodies contain no status lines. Session ids are random. */
function parse(received: string): PathResponse[] {
  const text = received.replace(/sessionId=[\w-]+/g, 'sessionId=x')
  const messages = text.split(/(?=HTTP\/1\.1 \d{3} )/).filter((message) => message !== '')
  return messages.map((message) => ({
    status: Number(message.slice(9, 12)),
    body: message.slice(message.indexOf('\r\n\r\n') + 4),
  }))
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}
