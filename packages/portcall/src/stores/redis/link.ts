import { RemoteFailure } from '../remote/failure.ts'
import { createGuard, refusal } from '../remote/guard.ts'
import { createSlot } from '../remote/slot.ts'
import { openConnection, type RedisClient, type RedisConnection } from './client.ts'
import { SCRIPTS } from './scripts.ts'

/** The way to Redis for commands. */
export interface RedisLink {
  /**
   * Runs commands in order, in one write. An answer is what Redis said, or a `StoreUnavailable` where it refused. Rejects with
   * `StoreUnavailable`. Commands whose fate is unknown are sent again only if they are `repeatable`.
   */
  send(commands: Command[], repeatable?: boolean): Promise<unknown[]>
  /** Does something else on the server under the same guard. */
  guarded<T>(operation: () => Promise<T>): Promise<T>
  close(): void
}

/** A command in its parts, or a script with its keys and arguments. */
export type Command = readonly string[] | ScriptCall

/** A script for Redis to run atomically. */
export interface ScriptCall {
  readonly script: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

export interface LinkOptions {
  readonly client: RedisClient
  readonly timeoutMs: number
  /** Is told when Redis has been silent: other connections may be dead too. */
  onSilence(): void
}

interface Line {
  readonly connection: RedisConnection
  /** The names of the scripts. */
  readonly names: ReadonlyMap<string, string>
}

/** What Redis says of a command that it has not run. */
const NOT_RUN = /^(LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN) /
/** How Redis begins its errors; those of drivers begin otherwise. */
const OF_REDIS = /^[A-Z][A-Z0-9_]*( |$)/

export function createLink({ client, timeoutMs, onSilence }: LinkOptions): RedisLink {
  const slot = createSlot<Line>({
    async open(onLost) {
      const names = await digestAll(SCRIPTS)
      return { connection: await openConnection(client, { onLost, onMessage() {} }), names }
    },
    end: ({ connection }) => connection.end(),
    timeoutMs,
  })
  const guard = createGuard({
    name: 'Redis',
    timeoutMs,
    probe: (isLate) => sendOnce([['PING']], isLate),
    onSilence() {
      slot.drop()
      onSilence()
    },
  })

  const judge = (answers: unknown[]): unknown[] => {
    for (const answer of answers) {
      if (!(answer instanceof Error)) continue
      if (!OF_REDIS.test(answer.message)) throw new RemoteFailure('unknown', answer)
      if (!NOT_RUN.test(answer.message)) continue
      slot.drop()
      throw new RemoteFailure('unsent', answer)
    }
    return answers
  }
  const sendOnce = async (commands: readonly Command[], isLate: () => boolean): Promise<unknown[]> => {
    const { connection, names } = await slot.get()
    if (isLate()) throw new RemoteFailure('unsent', 'nobody waits any more')
    const answers = judge(await connection.send(commands.map((command) => spell(command, names))))
    const missing = commands.filter((_, at) => isMissing(answers[at]))
    if (missing.length === 0) return answers
    const again = judge(await connection.send(missing.map((command) => spell(command))))
    return answers.map((answer) => (isMissing(answer) ? again.shift() : answer))
  }

  return {
    async send(commands, repeatable = false) {
      const answers = await guard.run((isLate) => sendOnce(commands, isLate), repeatable)
      return answers.map((answer) => (answer instanceof Error ? refusal('Redis', answer) : answer))
    },
    guarded: (operation) => guard.run(operation, true),
    close() {
      guard.close()
      slot.drop()
    },
  }
}

function isMissing(answer: unknown): boolean {
  return answer instanceof Error && answer.message.startsWith('NOSCRIPT')
}

/** The SHA-1 of each script, by which Redis knows it. */
async function digestAll(scripts: readonly string[]): Promise<Map<string, string>> {
  const digests = scripts.map(async (script): Promise<[string, string]> => {
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', new TextEncoder().encode(script)))
    return [script, Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')]
  })
  return new Map(await Promise.all(digests))
}

/** Writes a command out; scripts by the names that are given, else in full. */
function spell(command: Command, names?: ReadonlyMap<string, string>): string[] {
  if (!('script' in command)) return [...command]
  const { script, keys, args } = command
  const name = names?.get(script)
  return [name ? 'EVALSHA' : 'EVAL', name ?? script, String(keys.length), ...keys, ...args]
}
