import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSingleFlight } from '../../../../../../util/src/async.ts'
import { checkOptions, type OptionNames } from '../../../../../../util/src/check-options.ts'
import { randomId } from '../../../../../../util/src/random.ts'
import { pathOf } from '../../../../../../util/src/request-target.ts'
import { withTimeout } from '../../../../../../util/src/timers.ts'
import { isMarkedFull, unmarkFull } from '../../../../stores/full-stores.ts'
import type { KeyValueStore } from '../../../../stores/store.ts'
import type { Stores } from '../../../../stores/stores.ts'

/** Settings of the health checks of `serve`. */
export interface HealthOptions {
  /** The path that gets 200 as long as the process responds. Default: `/livez`. */
  readonly livePath?: string
  /** The path that gets 200 while the server can serve requests, and 503 otherwise. Default: `/readyz`. */
  readonly readyPath?: string
  /** A further condition for readiness. The server is not ready if it returns false, throws or rejects. `serve` checks the stores itself. */
  readonly check?: () => unknown
  /** Timeout of `check` and of the stores, in milliseconds. Default: 1000. */
  readonly checkTimeoutMs?: number
}

/** Answers health checks. The responses contain no details, so they need neither authentication nor a known `Host`. */
export interface HealthChecks {
  /** Answers a health check. Returns whether the request was one. */
  respond(request: IncomingMessage, response: ServerResponse): boolean
  /** Makes the server not ready, for good. */
  stop(): void
}

/** The source of the health checks. */
export interface HealthSource {
  readonly options: HealthOptions
  readonly stores: Pick<Stores, 'store'> | undefined
}

/** How long an outcome is reused, so that health checks cost the stores little. */
const REUSE_MS = 500
/** How long a successful write counts: a store that can be read need not be writable. After a failure, each check writes. */
const WRITE_INTERVAL_MS = 2000
const STORE_PROBE_KEY = 'portcall:health'
const STORE_PROBE_TTL_MS = 60_000
/** The bytes that a database which was full must have space for. They are random, because databases compress values. */
const SPACE_PROBE_BYTES = 32_768

const NAMES: OptionNames<HealthOptions> = { livePath: 'nonempty', readyPath: 'nonempty', check: 'function', checkTimeoutMs: 1 }

/** Creates the health checks of one server. @throws TypeError, RangeError for invalid settings. */
export function createHealthChecks({ options, stores }: HealthSource): HealthChecks {
  checkOptions('serve(): health', options, { names: NAMES })
  const { livePath = '/livez', readyPath = '/readyz', check, checkTimeoutMs = 1000 } = options
  for (const [name, path] of Object.entries({ livePath, readyPath }))
    if (!path.startsWith('/')) throw new TypeError(`serve(): health: ${name} must start with a slash: '/${path}'`)
  const checks = createSingleFlight<boolean>()
  let isStopped = false
  let writtenUntil = -Infinity
  let last = { ready: false, until: 0 }

  const probeStore = async ({ store }: Pick<Stores, 'store'>): Promise<void> => {
    const startedAt = performance.now()
    const isWriteDue = startedAt >= writtenUntil || isMarkedFull(store)
    await Promise.all([store.get(STORE_PROBE_KEY), isWriteDue && probeWriting(store)])
    if (isWriteDue) writtenUntil = startedAt + WRITE_INTERVAL_MS
  }
  const runCheck = async (): Promise<unknown> => check?.()
  const runChecks = async (): Promise<boolean> => {
    const outcome = Promise.all([stores && probeStore(stores), runCheck()])
    const ready = await withTimeout(outcome, checkTimeoutMs, () => new Error('The health check timed out')).then(
      ([, allowed]) => allowed !== false,
      () => false,
    )
    last = { ready, until: performance.now() + REUSE_MS }
    return ready
  }
  const isReady = async (): Promise<boolean> => {
    if (isStopped) return false
    const ready = performance.now() < last.until ? last.ready : await checks.run('', runChecks)
    return ready && !isStopped
  }

  return {
    respond({ method, url = '' }, response) {
      if (method !== 'GET' && method !== 'HEAD') return false
      const path = pathOf(url)
      if (path === livePath) send(response, true)
      else if (path === readyPath) void isReady().then((ready) => send(response, ready))
      else return false
      return true
    },
    stop() {
      isStopped = true
    },
  }
}

/** Writes to a store: a larger value if its database was full, because a small one may fit where an earlier value was. */
async function probeWriting(store: KeyValueStore): Promise<void> {
  const write = (value: string): Promise<void> => store.set(STORE_PROBE_KEY, value, { ttlMs: STORE_PROBE_TTL_MS })
  if (isMarkedFull(store)) await write(randomId(SPACE_PROBE_BYTES)).catch(ignoreRangeError)
  await write('')
  unmarkFull(store)
}

/** Ignores that a value is larger than the store accepts: all values that it accepts are small. */
function ignoreRangeError(error: unknown): void {
  if (!(error instanceof RangeError)) throw error
}

function send(response: ServerResponse, isHealthy: boolean): void {
  const text = isHealthy ? 'ok\n' : 'unavailable\n'
  const headers = { 'content-type': 'text/plain', 'content-length': text.length, 'cache-control': 'no-store' }
  response.writeHead(isHealthy ? 200 : 503, headers).end(text)
}
