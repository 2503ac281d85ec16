import { toHex } from '../../../../util/src/bytes.ts'
import { createUnavailableError, type StoreUnavailableError } from '../errors.ts'
import { createCircuitBreaker } from '../remote/circuit-breaker.ts'
import { createLazyConnection } from '../remote/lazy-connection.ts'
import { RemoteError } from '../remote/remote-error.ts'
import type { OnWarning } from '../warn.ts'
import type { RedisClient } from './client.ts'
import { explainConnectTimeout } from './client-options.ts'
import { openConnection, type RedisConnection } from './driver.ts'
import { readErrorReply } from './error-replies.ts'
import { findEvictionRisk } from './eviction.ts'
import { REDIS_SCRIPTS } from './scripts.ts'

/** Runs commands on Redis, through a circuit breaker. */
export interface RedisExecutor {
  /**
   * Sends commands in order, in one write. Resolves to their results, with a `StoreUnavailableError` for a command that Redis rejected.
   * Commands with an unknown outcome are sent again only if they are repeatable.
   *
   * @throws StoreUnavailableError when the commands cannot be sent or there is no response.
   */
  send(commands: RedisCommand[], isRepeatable?: boolean): Promise<unknown[]>
  /** Runs another repeatable operation on the server through the circuit breaker. */
  run<T>(operation: () => Promise<T>): Promise<T>
  close(): void
}

/** A command with its arguments, or a call of a script. */
export type RedisCommand = readonly string[] | ScriptCall

/** A call of a Lua script, which Redis runs atomically. */
export interface ScriptCall {
  readonly script: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

export interface RedisExecutorOptions {
  readonly client: RedisClient
  readonly timeoutMs: number
  /** Called when Redis did not respond in time, or cannot be written to: other connections may be useless too. */
  onSuspect(): void
  /** Called once if Redis may delete what is stored. */
  readonly onWarning: OnWarning
}

interface CommandConnection {
  readonly connection: RedisConnection
  /** The SHA-1 digest of each script. */
  readonly digests: ReadonlyMap<string, string>
}

export function createRedisExecutor({ client, timeoutMs, onSuspect, onWarning }: RedisExecutorOptions): RedisExecutor {
  let isEvictionChecked = false
  const lazyConnection = createLazyConnection<CommandConnection>({
    async open(onLost, signal) {
      const digests = await digestAll(REDIS_SCRIPTS)
      return { connection: await openConnection(client, { onLost, onMessage() {} }, { timeoutMs, signal }), digests }
    },
    close: ({ connection }) => connection.close(),
    timeoutMs,
    explainTimeout: () => explainConnectTimeout(client),
  })
  const circuitBreaker = createCircuitBreaker({
    name: 'Redis',
    timeoutMs,
    probe: (isAbandoned) => sendOnce([['PING']], isAbandoned),
    explainTimeout: () => (lazyConnection.current ? undefined : explainConnectTimeout(client)),
    onTimeout() {
      lazyConnection.drop()
      onSuspect()
    },
    onStale: onSuspect,
  })

  /**
   * Returns the results. @throws RemoteError if the connection was lost, or if no command was executed and they can be sent again. If only some
   * of them were executed, the outcome of the whole is unknown.
   */
  const checkResults = (results: unknown[]): unknown[] => {
    const replies = results.map((result) => (result instanceof Error ? { result, ...readErrorReply(result) } : undefined))
    if (replies.some((reply) => reply?.isConnectionUseless)) lazyConnection.drop()
    const failed =
      replies.find((reply) => reply?.outcome === 'unknown') ?? replies.find((reply) => reply && reply.outcome !== 'rejected')
    if (failed) throw new RemoteError(replies.every(Boolean) ? failed.outcome : 'unknown', failed.result)
    return results
  }
  /** Warns once. In a cluster, the first command must be one with a key: see `createOrderedSend`. */
  const checkEviction = (connection: RedisConnection): void => {
    if (isEvictionChecked) return
    isEvictionChecked = true
    void findEvictionRisk(connection).then((warning) => warning && onWarning(warning))
  }
  const sendOnce = async (commands: readonly RedisCommand[], isAbandoned: () => boolean): Promise<unknown[]> => {
    const { connection, digests } = await lazyConnection.get()
    if (isAbandoned()) throw new RemoteError('unsent', 'the operation has timed out')
    const results = checkResults(await connection.send(commands.map((command) => encode(command, digests))))
    checkEviction(connection)
    const missing = commands.filter((_, index) => isMissingScript(results[index]))
    if (missing.length === 0) return results
    const retried = checkResults(await connection.send(missing.map((command) => encode(command))))
    return results.map((result) => (isMissingScript(result) ? retried.shift() : result))
  }

  return {
    async send(commands, isRepeatable = false) {
      const results = await circuitBreaker.run((isAbandoned) => sendOnce(commands, isAbandoned), isRepeatable)
      return results.map((result) => (result instanceof Error ? toUnavailableError(result) : result))
    },
    run: (operation) => circuitBreaker.run(operation, true),
    close() {
      circuitBreaker.close()
      lazyConnection.close()
    },
  }
}

/** Creates the error for a rejected command, with advice if there is any. */
function toUnavailableError(reply: Error): StoreUnavailableError {
  const { advice } = readErrorReply(reply)
  return createUnavailableError('Redis', advice ? new Error(`${reply.message} (${advice})`, { cause: reply }) : reply)
}

function isMissingScript(result: unknown): boolean {
  return result instanceof Error && result.message.startsWith('NOSCRIPT')
}

/** Returns the SHA-1 digest of each script, by which Redis caches it. */
async function digestAll(scripts: readonly string[]): Promise<Map<string, string>> {
  const digests = scripts.map(async (script): Promise<[string, string]> => {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script)))
    return [script, toHex(hash)]
  })
  return new Map(await Promise.all(digests))
}

/** Returns the words of a command. Scripts are called by digest if it is known, else with their source. */
function encode(command: RedisCommand, digests?: ReadonlyMap<string, string>): string[] {
  if (!('script' in command)) return [...command]
  const { script, keys, args } = command
  const scriptDigest = digests?.get(script)
  return [scriptDigest ? 'EVALSHA' : 'EVAL', scriptDigest ?? script, String(keys.length), ...keys, ...args]
}
