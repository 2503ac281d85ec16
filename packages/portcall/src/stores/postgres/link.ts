import { RemoteFailure } from '../remote/failure.ts'
import { createGuard } from '../remote/guard.ts'
import { codeOf, type PostgresDriver } from './client.ts'
import { migration, VERSIONS } from './schema.ts'

/** The functions of the schema. */
export type Asked = 'get' | 'list' | 'count' | 'write' | 'append' | 'read' | 'publish' | 'message' | 'sweep'

/** The way to PostgreSQL. */
export interface PostgresLink {
  /** Calls a function with JSON. Rejects with `StoreUnavailable`. What has an unknown fate is asked again only if it is `repeatable`. */
  ask(name: Asked, argument: unknown, repeatable?: boolean): Promise<unknown>
  /** Calls a function that may take its time: nobody waits for it, and its silence says nothing of the server. */
  askPatiently(name: Asked, argument: unknown): Promise<unknown>
  /** Does something else on the server under the same guard. */
  guarded<T>(operation: () => Promise<T>): Promise<T>
  close(): void
}

export interface LinkOptions {
  readonly driver: PostgresDriver
  readonly schema: string
  readonly timeoutMs: number
  /** Is told when PostgreSQL answers again. */
  onBack(): void
}

/** The schema, a table or a function is not there. */
const MISSING = /^(3F000|42P01|42883)$/

export function createLink({ driver, schema, timeoutMs, onBack }: LinkOptions): PostgresLink {
  let ready: Promise<void> | undefined

  const migrate = async (isLate: () => boolean): Promise<void> => {
    const text = `select max(version)::text as answer from "${schema}".versions`
    const version = await driver.ask({ text }, isLate).catch((error) => {
      if (isMissing(error)) return 0
      throw error
    })
    if (Number(version) < VERSIONS.length) await driver.ask({ text: migration(schema) }, isLate)
  }
  const prepare = (isLate: () => boolean): Promise<void> => {
    ready ??= migrate(isLate).catch((error) => {
      ready = undefined
      throw error
    })
    return ready
  }
  const call = async (name: Asked, argument: string, isLate: () => boolean): Promise<string> => {
    await prepare(isLate)
    const text = `select "${schema}".${name}($1::text::jsonb)::text as answer`
    try {
      return String(await driver.ask({ name: `${schema}.${name}`, text, values: [argument] }, isLate))
    } catch (error) {
      if (!isMissing(error)) throw error
      ready = undefined
      throw new RemoteFailure('unsent', error)
    }
  }
  const guard = createGuard({
    name: 'PostgreSQL',
    timeoutMs,
    probe: (isLate) => driver.ask({ text: `select '1' as answer` }, isLate),
    onSilence: () => driver.abandon(),
    onBack,
  })

  return {
    async ask(name, argument, repeatable = false) {
      const text = JSON.stringify(argument)
      const answer = await guard.run((isLate) => call(name, text, isLate), repeatable)
      return JSON.parse(answer)
    },
    askPatiently: async (name, argument) => JSON.parse(await call(name, JSON.stringify(argument), () => false)),
    guarded: (operation) => guard.run(operation, true),
    close: () => guard.close(),
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof RemoteFailure && MISSING.test(codeOf(error.cause))
}
