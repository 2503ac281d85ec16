import { retryableOnce } from '../../../../util/src/async.ts'
import { createCircuitBreaker } from '../remote/circuit-breaker.ts'
import { RemoteError } from '../remote/remote-error.ts'
import type { PostgresDriver } from './driver.ts'
import { codeOf } from './error-codes.ts'
import { migration, VERSIONS } from './schema.ts'

/** The functions of the schema. */
export type SqlFunction = 'get' | 'list' | 'count' | 'write' | 'append' | 'read' | 'publish' | 'message' | 'sweep'

/** Calls the functions of the schema, through a circuit breaker. */
export interface PostgresExecutor {
  /**
   * Calls a function with a JSON argument. Resolves to its JSON result. A call with an unknown outcome is sent again only if it is
   * repeatable.
   *
   * @throws StoreUnavailableError
   */
  call(name: SqlFunction, argument: unknown, isRepeatable?: boolean): Promise<unknown>
  /** Calls a function without a timeout and without the circuit breaker. */
  callInBackground(name: SqlFunction, argument: unknown): Promise<unknown>
  /** Runs another repeatable operation on the server through the circuit breaker. */
  run<T>(operation: () => Promise<T>): Promise<T>
  close(): void
}

export interface PostgresExecutorOptions {
  readonly driver: PostgresDriver
  readonly schema: string
  readonly timeoutMs: number
  /** Called when PostgreSQL responds again, or cannot be written to: the connection of the bus may be broken, or reach another server. */
  onSuspect(): void
  /** Called when PostgreSQL had no space for a write. */
  onFull(): void
}

/** SQLSTATE codes of a missing schema, table or function. */
const MISSING = /^(3F000|42P01|42883)$/
/** SQLSTATE of a full disk. */
const DISK_FULL = '53100'

export function createPostgresExecutor(options: PostgresExecutorOptions): PostgresExecutor {
  const { driver, schema, timeoutMs, onSuspect, onFull } = options
  const migrate = retryableOnce(async (isAbandoned: () => boolean): Promise<void> => {
    const text = `select max(version)::text as answer from "${schema}".versions`
    const version = await driver.query({ text }, isAbandoned).catch((error) => {
      if (isMissing(error)) return 0
      throw error
    })
    if (Number(version) < VERSIONS.length) await driver.query({ text: migration(schema) }, isAbandoned)
  })
  const callOnce = async (name: SqlFunction, argument: string, isAbandoned: () => boolean): Promise<string> => {
    await migrate.run(isAbandoned)
    const text = `select "${schema}".${name}($1::text::jsonb)::text as answer`
    try {
      return String(await driver.query({ name: `${schema}.${name}`, text, values: [argument] }, isAbandoned))
    } catch (error) {
      if (stateOf(error) === DISK_FULL) onFull()
      if (!isMissing(error)) throw error
      migrate.reset()
      throw new RemoteError('unsent', error)
    }
  }
  const circuitBreaker = createCircuitBreaker({
    name: 'PostgreSQL',
    timeoutMs,
    probe: (isAbandoned) => driver.query({ text: `select '1' as answer` }, isAbandoned),
    onTimeout: () => driver.destroyBusyConnections(),
    explainTimeout: driver.explainTimeout,
    onStale: onSuspect,
    onRecovered: onSuspect,
  })

  return {
    async call(name, argument, isRepeatable = false) {
      const text = JSON.stringify(argument)
      const result = await circuitBreaker.run((isAbandoned) => callOnce(name, text, isAbandoned), isRepeatable)
      return JSON.parse(result)
    },
    callInBackground: async (name, argument) => JSON.parse(await callOnce(name, JSON.stringify(argument), () => false)),
    run: (operation) => circuitBreaker.run(operation, true),
    close: () => circuitBreaker.close(),
  }
}

const stateOf = (error: unknown): string => (error instanceof RemoteError ? codeOf(error.cause) : '')
const isMissing = (error: unknown): boolean => MISSING.test(stateOf(error))
