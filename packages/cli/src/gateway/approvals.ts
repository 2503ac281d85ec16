import { sanitize } from '../../../util/src/printable.ts'
import { CliError, usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import type { Io } from '../io.ts'
import { findGateways, sendToGateway } from './admin-client.ts'
import type { RunFile } from './run-file.ts'

/** A call that waits for an approval, as the admin endpoint shows it. */
interface WaitingCall {
  readonly id: string
  readonly server: string
  readonly kind: string
  readonly name: string
  readonly arguments?: unknown
  readonly principal?: string
  readonly rule: string
  readonly state: string
  readonly requestedAt: string
  readonly expiresAt: string
}

const DECISIONS: readonly string[] = ['approve', 'deny']

/** `portcall gateway approvals [list]`, `approve ID…` and `deny ID…`. */
export async function manageApprovals(
  [action = 'list', ...ids]: readonly string[],
  { admin, io }: { readonly admin: string | undefined; readonly io: Io },
): Promise<void> {
  if (action === 'list') return listApprovals(admin, io)
  if (!DECISIONS.includes(action))
    throw usageError(`unknown action: approvals ${action}`, didYouMean(action, ['list', ...DECISIONS]))
  if (ids.length === 0)
    throw usageError(`approvals ${action} needs the id of a call`, 'portcall gateway approvals list shows them')
  const waiting = await fetchApprovals(admin)
  for (const id of ids) {
    const matches = waiting.filter(({ call }) => call.id.startsWith(id))
    const [match] = matches
    if (!match || matches.length > 1)
      throw new CliError(
        'rejected',
        match ? `several calls have an id that begins with ${id}` : `no call waits with the id ${id}`,
      )
    await decide(match, action)
    if (!io.json) io.log(`${action === 'deny' ? 'Denied' : 'Approved'} ${describeWaiting(match.call)}`)
  }
  if (io.json) io.value({ ok: true })
}

/** A call, and the gateways that show it: several, if they share a store. */
interface FoundCall {
  readonly call: WaitingCall
  readonly runs: readonly RunFile[]
}

/** Returns the waiting calls of all gateways that have approvals. @throws CliError if none has. */
async function fetchApprovals(admin: string | undefined): Promise<FoundCall[]> {
  const runs = findGateways(admin)
  const lists = await Promise.allSettled(runs.map((run) => sendToGateway(run, 'GET', '/approvals')))
  if (lists[0]?.status === 'rejected' && lists.every(({ status }) => status === 'rejected')) throw lists[0].reason
  const found = new Map<string, FoundCall>()
  for (const [index, list] of lists.entries())
    for (const call of list.status === 'fulfilled' ? (list.value as readonly WaitingCall[]) : [])
      found.set(call.id, { call, runs: [...(found.get(call.id)?.runs ?? []), ...runs.slice(index, index + 1)] })
  return [...found.values()]
}

/** Decides about a call at the first gateway where it still waits. @throws CliError if it waits at none. */
async function decide({ call, runs }: FoundCall, action: string): Promise<void> {
  for (const run of runs)
    try {
      await sendToGateway(run, 'POST', `/approvals/${encodeURIComponent(call.id)}/${action}`)
      return
    } catch (error) {
      if (run === runs.at(-1)) throw error
    }
}

async function listApprovals(admin: string | undefined, io: Io): Promise<void> {
  const calls = (await fetchApprovals(admin)).map(({ call }) => call)
  if (io.json) return io.value(calls)
  if (calls.length === 0) io.log('No call waits for an approval')
  for (const call of calls) {
    io.line(`${call.id}  ${call.state}  ${describeWaiting(call)}`)
    io.line(`  by ${call.principal ?? 'an anonymous caller'} at ${call.requestedAt}, ${call.rule}, expires at ${call.expiresAt}`)
    if (call.arguments !== undefined) io.data(`  ${sanitize(JSON.stringify(call.arguments))}`)
  }
}

function describeWaiting({ server, kind, name }: WaitingCall): string {
  return `the ${kind} ${name} of ${server}`
}
