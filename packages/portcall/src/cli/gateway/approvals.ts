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
    await sendToGateway(match.run, 'POST', `/approvals/${encodeURIComponent(match.call.id)}/${action}`)
    if (!io.json) io.log(`${action === 'deny' ? 'Denied' : 'Approved'} ${describeWaiting(match.call)}`)
  }
  if (io.json) io.value({ ok: true })
}

interface FoundCall {
  readonly run: RunFile
  readonly call: WaitingCall
}

async function fetchApprovals(admin: string | undefined): Promise<FoundCall[]> {
  const lists = await Promise.all(
    findGateways(admin).map(async (run) => {
      const calls = (await sendToGateway(run, 'GET', '/approvals')) as readonly WaitingCall[]
      return calls.map((call) => ({ run, call }))
    }),
  )
  return lists.flat()
}

async function listApprovals(admin: string | undefined, io: Io): Promise<void> {
  const calls = (await fetchApprovals(admin)).map(({ call }) => call)
  if (io.json) return io.value(calls)
  if (calls.length === 0) io.log('No call waits for an approval')
  for (const call of calls) {
    io.data(`${call.id}  ${call.state}  ${describeWaiting(call)}`)
    io.data(`  by ${call.principal ?? 'an anonymous caller'} at ${call.requestedAt}, ${call.rule}, expires at ${call.expiresAt}`)
    if (call.arguments !== undefined) io.data(`  ${JSON.stringify(call.arguments)}`)
  }
}

function describeWaiting({ server, kind, name }: WaitingCall): string {
  return `the ${kind} ${name} of ${server}`
}
