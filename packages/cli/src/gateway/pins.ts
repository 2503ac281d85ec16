import { createInterface } from 'node:readline/promises'
import { acceptPins, type DefinitionChange, formatChange, pinOptionsOf } from 'portcall/gateway'
import { pluralize } from '../../../util/src/pluralize.ts'
import { usageError } from '../cli-error.ts'
import { didYouMean } from '../command-line/did-you-mean.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { sendToGateway } from './admin-client.ts'
import type { LoadedGateway } from './load.ts'
import { readRunFiles } from './run-file.ts'
import { createSharedCredentials } from './server-credentials.ts'
import { openConfiguredStores } from './stores.ts'

export interface PinReview {
  /** Reviews only this server. */
  readonly server: string | undefined
  /** Accepts the changes. Otherwise they are only shown. */
  readonly accepts: boolean
  /** Does not ask on a terminal. */
  readonly yes: boolean
}

/**
 * Connects to the servers of a configuration, and shows what differs from the pinned definitions. Accepts it if that was asked for.
 * Returns `failed` if there are changes that are not accepted, or if a server could not be reached.
 */
export async function reviewPins(loaded: LoadedGateway, review: PinReview, io: Io): Promise<ExitReason> {
  const { config, directory, files, options, variables } = loaded
  const { servers } = config.options
  assertServer(review.server, Object.keys(servers))
  const { store } = config.settings
  const stores =
    config.policies.pins !== undefined && store !== undefined
      ? await openConfiguredStores(store, directory, variables)
      : undefined
  try {
    const pins = pinOptionsOf(config.policies.pins ?? 'off', { directory, store: stores?.store })
    if (!pins) throw usageError('the configuration pins no definitions', 'set gateway.pins to block or warn')
    let found: readonly DefinitionChange[] = []
    const { accepted, unavailable } = await acceptPins({
      servers,
      lock: pins.lock,
      ...(pins.kinds && { kinds: pins.kinds }),
      firstUse: review.accepts ? 'withhold' : (pins.firstUse ?? 'pin'),
      credentials: createSharedCredentials(config, directory),
      ...(review.server !== undefined && { server: review.server }),
      confirm(changes) {
        found = changes
        return confirmChanges(changes, review, io)
      },
    })
    const reasons = Object.fromEntries(Object.entries(unavailable).map(([name, reason]) => [name, variables.hide(reason)]))
    printOutcome({ found, accepted, unavailable: reasons }, { review, options, io })
    if (accepted.length > 0) await refreshRunning(files, io)
    return found.length > accepted.length || Object.keys(unavailable).length > 0 ? 'failed' : 'success'
  } finally {
    await stores?.close()
  }
}

function assertServer(name: string | undefined, names: readonly string[]): void {
  if (name !== undefined && !names.includes(name)) throw usageError(`there is no server ${name}`, didYouMean(name, names))
}

async function confirmChanges(changes: readonly DefinitionChange[], { accepts, yes }: PinReview, io: Io): Promise<boolean> {
  if (!io.json) for (const change of changes) io.data(formatChange(change))
  if (!accepts || yes || !io.interactive) return accepts
  const readline = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await readline.question(`Accept ${pluralize(changes.length, 'change')}? yes or no [no]: `, {
      signal: io.signal,
    })
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    readline.close()
  }
}

interface ReviewOutcome {
  readonly found: readonly DefinitionChange[]
  readonly accepted: readonly DefinitionChange[]
  readonly unavailable: { readonly [server: string]: string }
}

function printOutcome(
  { found, accepted, unavailable }: ReviewOutcome,
  { review, options, io }: { readonly review: PinReview; readonly options: string; readonly io: Io },
): void {
  if (io.json) return io.value({ changes: found, accepted: accepted.length, unavailable })
  for (const [server, reason] of Object.entries(unavailable)) io.log(`${server} is not available: ${reason}`)
  if (found.length === 0) io.log(`No definition${Object.keys(unavailable).length > 0 ? ' of the other servers' : ''} has changed`)
  else if (accepted.length > 0) io.log(`Accepted ${pluralize(accepted.length, 'change')}`)
  else if (review.accepts) io.log('Nothing was accepted')
  else
    io.log(
      `${pluralize(found.length, 'change')} to review. Accept with portcall gateway --accept${review.server ? ` ${review.server}` : ''}${options}`,
    )
}

/** Makes running gateways with the same configuration offer what was accepted. */
async function refreshRunning(files: readonly string[], io: Io): Promise<void> {
  const running = readRunFiles().filter((run) => run.files.some((file) => files.includes(file)))
  for (const run of running)
    await sendToGateway(run, 'POST', '/refresh').catch((error: unknown) => {
      io.log(`The gateway of process ${run.pid} did not notice: ${error instanceof Error ? error.message : String(error)}`)
    })
}
