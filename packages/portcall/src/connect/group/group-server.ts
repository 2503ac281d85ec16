import { ClientClosedError } from '../../client/errors.ts'
import type { Client, ConnectionStatus } from '../../client/types.ts'
import { ConfigError } from '../config/errors.ts'

/** `idle`: not used yet. `failed`: the next use tries again. A running server has the status of its client. */
export type ServerState = 'idle' | 'starting' | ConnectionStatus | 'failed' | 'disabled'

/** The state of a server of a group, and the error if it failed. */
export interface ServerStatus {
  /** The state of the server. */
  readonly state: ServerState
  /** The error, if the state is `failed`. */
  readonly error?: unknown
}

/** One server of a group. */
export interface GroupServer {
  readonly name: string
  readonly status: ServerStatus
  /** Returns the client, and connects if necessary. */
  client(): Promise<Client>
  close(): Promise<void>
}

/** Connects to the server. The signal is aborted when the group is closed. */
export type OpenClient = (signal: AbortSignal) => Promise<Client>

/** Creates a server that is connected on first use, and again on the next use after it failed or ended. */
export function createGroupServer(name: string, open: OpenClient): GroupServer {
  const controller = new AbortController()
  const { signal } = controller
  let opening: Promise<Client> | undefined
  let client: Client | undefined
  let failure: { error: unknown } | undefined

  const start = async (): Promise<Client> => {
    try {
      const opened = await open(signal)
      if (signal.aborted) await opened.close()
      signal.throwIfAborted()
      client = opened
      return opened
    } catch (error) {
      failure = { error }
      throw error
    } finally {
      opening = undefined
    }
  }
  const closedError = (): ClientClosedError => new ClientClosedError(`The client group of the server ${name} was closed`)

  return {
    name,
    get status(): ServerStatus {
      if (signal.aborted) return { state: 'closed' }
      if (client) return { state: client.status }
      if (opening) return { state: 'starting' }
      return failure ? { state: 'failed', ...failure } : { state: 'idle' }
    },
    async client() {
      if (signal.aborted) throw closedError()
      if (client && client.status !== 'closed') return client
      client = undefined
      failure = undefined
      opening ??= start()
      return opening
    },
    async close() {
      controller.abort(closedError())
      await Promise.all([client?.close(), opening?.catch(() => {})])
    },
  }
}

/** Creates a server that is disabled or has an invalid configuration. */
export function createUnavailableServer(name: string, reason: ConfigError | 'disabled'): GroupServer {
  const error = reason === 'disabled' ? new ConfigError(`The server ${name} is disabled`) : reason
  return {
    name,
    status: reason === 'disabled' ? { state: 'disabled' } : { state: 'failed', error },
    client: () => Promise.reject(error),
    close: async () => {},
  }
}
