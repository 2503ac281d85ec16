import { existsSync, readFileSync, statSync } from 'node:fs'
import type { ServerSnapshot } from 'portcall/diagnostics'
import { usageError } from '../cli-error.ts'
import type { ServerArgument } from '../command.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { reportErrors } from '../report-error.ts'
import type { ConnectionInvocation } from '../target/connect.ts'
import { withLister } from '../target/connect.ts'
import { reportIncomplete, type UnavailableServers } from '../target/unavailable-servers.ts'

/** One side of a comparison. */
export interface ComparedSource {
  readonly snapshot: ServerSnapshot
  /** The text of the file, if the source is a recording. */
  readonly recording: string | undefined
  /** Why lists of the server could not be fetched. The snapshot does not have them. */
  readonly errors: readonly unknown[]
  /** The servers of a gateway that are missing in its lists. Absent for files. */
  readonly unavailable?: UnavailableServers
}

/** Reports the lists that are missing or incomplete. Returns the exit reason, or `undefined` if none are. */
export function reportUnread({ errors, unavailable }: ComparedSource, io: Pick<Io, 'json'>): ExitReason | undefined {
  return reportErrors(errors, io.json) ?? (unavailable && reportIncomplete(unavailable, io))
}

/** Reads a snapshot or a recording from a file, or the lists of a server. @throws CliError */
export async function readSource(
  server: ServerArgument,
  invocation: Omit<ConnectionInvocation, 'server'>,
): Promise<ComparedSource> {
  const { createSnapshot, readInventory, readSnapshot, snapshotOfRecording } = await import('portcall/diagnostics')
  const text = 'location' in server ? readSourceFile(server.location) : undefined
  if (text !== undefined && isRecording(text)) return { snapshot: snapshotOfRecording(text), recording: text, errors: [] }
  const saved = text === undefined ? undefined : readSnapshot(text)
  if (saved) return { snapshot: saved, recording: undefined, errors: [] }
  return withLister({ ...invocation, server }, async (client, unavailable) => {
    const { inventory, failures } = await readInventory(client)
    const snapshot = createSnapshot(inventory, client.protocolVersion, failures)
    return { snapshot, recording: undefined, errors: failures.map(({ error }) => error), unavailable }
  })
}

/** Returns the text of a file, or `undefined` if there is none. */
export function readSourceFile(path: string): string | undefined {
  return /\.(json|ndjson|jsonl|txt|log)$/.test(path) && existsSync(path) && statSync(path).isFile()
    ? readFileSync(path, 'utf8')
    : undefined
}

/** Reports whether a text is a recording. */
export function isRecording(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1)
  return /"portcall":\s*"recording"/.test(first) || /"direction":\s*"(sent|received)"/.test(first)
}

/** Splits the arguments of a command with a first argument of its own and a server, which may be a program after `--`. */
export function splitSources(
  server: ServerArgument,
  args: readonly string[],
): { first: string; second: ServerArgument | undefined } {
  if ('location' in server) return { first: server.location, second: args[0] === undefined ? undefined : { location: args[0] } }
  const [first] = args
  if (first === undefined) throw usageError('a file or a server is missing before --')
  return { first, second: server }
}
