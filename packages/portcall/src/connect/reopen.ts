import { backoffMs } from '../client/backoff.ts'
import type { Connection } from '../client/client.ts'
import type { Clocks } from '../client/deadline.ts'
import { ConnectionClosed } from '../client/errors.ts'
import type { ClientEvent } from '../client/options.ts'
import type { Status } from '../client/surface.ts'
import type { Exchange } from '../jsonrpc/exchange.ts'
import { pause } from '../jsonrpc/waiting.ts'

/** A way to a server that was opened once. */
export interface Opened {
  readonly exchange: Exchange
  /** Whether arguments have to be mirrored in headers. */
  readonly mirrors: boolean
  /** Calls back once when it has ended by itself. */
  onEnd(listener: (reason: unknown) => void): void
  close(): Promise<void>
}

export interface ReopeningOptions {
  /** Opens a way; when the signal is aborted, nothing is left of it. */
  readonly open: (signal: AbortSignal) => Promise<Opened>
  /** How long that may take, in milliseconds. */
  readonly openMs: number
  /** The deadlines of all that waits for this server. */
  readonly clocks: Clocks
  /** Whether a way that has ended is opened again when it is needed. */
  readonly again: boolean
  /** Whether an error means that the server has not looked at the request, and would if it were sent on a new way. */
  readonly forgotten: (error: unknown) => boolean
  readonly onEvent: (event: ClientEvent) => void
  /** Gives up the first opening. */
  readonly signal?: AbortSignal
}

/** Opens a way to a server, and opens it again when it is lost and needed. @throws what `open` throws the first time. */
export async function createReopening(options: ReopeningOptions): Promise<Connection> {
  const { again, forgotten, onEvent } = options
  const ending = new AbortController()
  let status: Status = 'open'
  let failures = 0
  let mirrors = false
  let current: Promise<Opened> | undefined
  /** What `current` has come to. */
  let ready: Opened | undefined

  const lose = (way: Promise<Opened> | undefined, error: unknown): void => {
    if (current !== way || status === 'closed') return
    current = undefined
    ready = undefined
    status = again ? 'lost' : 'closed'
    onEvent({ type: 'lost', error })
  }
  const begin = async (way: () => Promise<Opened>, given: AbortSignal | undefined): Promise<Opened> => {
    const opened = await openInTime(options, given ? AbortSignal.any([ending.signal, given]) : ending.signal)
    failures = 0
    mirrors = opened.mirrors
    ready = opened
    opened.onEnd((reason) => lose(way(), reason))
    if (status === 'lost') onEvent({ type: 'restored' })
    status = 'open'
    return opened
  }
  const start = (wait: Promise<void> = Promise.resolve(), given?: AbortSignal): Promise<Opened> => {
    const way: Promise<Opened> = wait.then(() => {
      if (ending.signal.aborted) throw closed()
      return begin(() => way, given)
    })
    current = way
    way.catch((error: unknown) => {
      failures++
      lose(way, error)
    })
    return way
  }
  const use = (): Promise<Opened> => {
    if (status === 'closed') return Promise.reject(closed())
    return current ?? start(failures > 0 ? pause(backoffMs(failures - 1), ending.signal).catch(() => {}) : undefined)
  }
  const ask: Exchange = (request, context) => {
    if (ready && status === 'open') return ready.exchange(request, context)
    return use().then((opened) => opened.exchange(request, context))
  }
  const insist: Exchange = (request, context) => {
    const answer = ask(request, context)
    const way = current
    return answer.catch((error: unknown) => {
      if (!forgotten(error) || status === 'closed') throw error
      lose(way, error)
      return ask(request, context)
    })
  }

  options.signal?.throwIfAborted()
  await start(undefined, options.signal)
  return {
    get status() {
      return status
    },
    get mirrors() {
      return mirrors
    },
    exchange: again ? insist : ask,
    async close() {
      if (ending.signal.aborted) return
      status = 'closed'
      ending.abort(closed())
      await current?.then(
        (opened) => opened.close(),
        () => {},
      )
    },
  }
}

async function openInTime({ open, openMs, clocks }: ReopeningOptions, signal: AbortSignal): Promise<Opened> {
  const deadline = clocks.start('initialize', { requestMs: openMs, totalMs: openMs }, signal)
  try {
    return await open(deadline.signal)
  } finally {
    deadline.clear()
  }
}

function closed(): ConnectionClosed {
  return new ConnectionClosed('The client was closed, or its server has ended for good')
}
