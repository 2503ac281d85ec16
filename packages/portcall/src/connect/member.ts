import { ConnectionClosed } from '../client/errors.ts'
import type { Client } from '../client/surface.ts'
import { ConfigError } from './config-error.ts'

/** `idle`: not needed yet. `failed`: the next use tries again. The rest is what its client says. */
export type MemberState = 'idle' | 'starting' | 'open' | 'lost' | 'closed' | 'failed' | 'disabled'

/** How one server of a group is, and why when it is not well. */
export interface MemberStatus {
  readonly state: MemberState
  readonly error?: unknown
}

/** One server of a group. */
export interface Member {
  readonly name: string
  readonly status: MemberStatus
  /** Starts it unless it runs. Rejects with why it cannot be had. */
  client(): Promise<Client>
  close(): Promise<void>
}

/** How a server is reached; the signal is aborted when it is not wanted any more. */
export type Open = (signal: AbortSignal) => Promise<Client>

/** Makes a member that is opened when it is first used; one that has failed, or has ended, is opened again by the next use. */
export function createMember(name: string, open: Open): Member {
  const controller = new AbortController()
  let opening: Promise<Client> | undefined
  let client: Client | undefined
  let failure: { error: unknown } | undefined

  const start = async (): Promise<Client> => {
    try {
      const opened = await open(controller.signal)
      if (controller.signal.aborted) await opened.close()
      controller.signal.throwIfAborted()
      client = opened
      return opened
    } catch (error) {
      failure = { error }
      throw error
    } finally {
      opening = undefined
    }
  }

  return {
    name,
    get status(): MemberStatus {
      if (controller.signal.aborted) return { state: 'closed' }
      if (client) return { state: client.status }
      if (opening) return { state: 'starting' }
      return failure ? { state: 'failed', ...failure } : { state: 'idle' }
    },
    async client() {
      if (controller.signal.aborted) throw new ConnectionClosed(`The group of the server ${name} is closed`)
      if (client && client.status !== 'closed') return client
      client = undefined
      failure = undefined
      opening ??= start()
      return opening
    },
    async close() {
      controller.abort(new ConnectionClosed(`The group of the server ${name} is closed`))
      await Promise.all([client?.close(), opening?.catch(() => {})])
    },
  }
}

/** Makes a member that can never be used. */
export function createAbsentMember(name: string, why: ConfigError | 'disabled'): Member {
  const error = why === 'disabled' ? new ConfigError(`The server ${name} is disabled`) : why
  return {
    name,
    status: why === 'disabled' ? { state: 'disabled' } : { state: 'failed', error },
    client: () => Promise.reject(error),
    close: async () => {},
  }
}
