import { adviceForOutput } from '../../../../util/src/served-url.ts'
import { withoutUndefined } from '../../../../util/src/without-undefined.ts'
import { connect } from '../../connect/connect.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { ALL_CAPABILITIES } from '../../protocol/all-capabilities.ts'
import type { ConnectionOutcome, DiagnosisState } from './facts.ts'
import { StepTimeoutError, withinTime } from './within-time.ts'

const MAX_OUTPUT = 4000
const MAX_WARNINGS = 20

/** Connects to the server with the library, once: later calls return the same outcome. */
export async function connectOnce(state: DiagnosisState): Promise<ConnectionOutcome> {
  const { known } = state
  known.connection ??= await tryConnect(state)
  return known.connection
}

/**
 * A program may take this many times longer than a step: it may still be loading, and if it then exits, what it prints says more than that it
 * does not answer.
 */
const START_FACTOR = 3
/** How long a connection that was given up may take to close, in milliseconds. A program is asked to end before it is killed. */
const CLOSE_MS = 300
const PROGRAM_CLOSE_MS = 4000

async function tryConnect({ target, options, stepTimeoutMs, signal }: DiagnosisState): Promise<ConnectionOutcome> {
  const startedAt = performance.now()
  let [stderr, strayOutput] = ['', '']
  const warnings: string[] = []
  const { headers, auth, protocolVersion } = options
  const isProgram = isObject(target) && 'command' in target
  const connectTimeoutMs = isProgram ? stepTimeoutMs * START_FACTOR : stepTimeoutMs
  const tooLate = new AbortController()
  const opening = connect(target, {
    info: { name: 'portcall-doctor', version: '1.0.0' },
    capabilities: ALL_CAPABILITIES,
    signal: AbortSignal.any([signal, tooLate.signal]),
    probeTimeoutMs: Math.ceil(stepTimeoutMs * 0.4),
    connectTimeoutMs,
    timeouts: { requestTimeoutMs: stepTimeoutMs, totalTimeoutMs: stepTimeoutMs },
    ...withoutUndefined({ headers, auth, protocolVersion }),
    onStderr: (text) => void (stderr = (stderr + text).slice(-MAX_OUTPUT)),
    onEvent(event) {
      if (event.type === 'unexpected-message' && strayOutput.length < MAX_OUTPUT) strayOutput += `${event.text}\n`
      if (event.type === 'warning' && warnings.length < MAX_WARNINGS) warnings.push(event.message)
    },
  })
  // A program that has said that it is ready, but not in messages, is not waited for.
  const timer = setTimeout(() => {
    if (strayOutput !== '' || adviceForOutput(stderr) !== '')
      tooLate.abort(new StepTimeoutError(`No answer within ${stepTimeoutMs} ms`))
  }, stepTimeoutMs)
  const outcome = (): Omit<ConnectionOutcome, 'client'> => {
    clearTimeout(timer)
    return { openedAfterMs: performance.now() - startedAt, stderr, strayOutput, warnings }
  }
  try {
    const client = await withinTime(opening, connectTimeoutMs + (isProgram ? PROGRAM_CLOSE_MS : CLOSE_MS), signal)
    const connected = outcome()
    // A connection in a chosen version opens without a request.
    if (protocolVersion !== undefined) await client.discover()
    return { client, ...connected }
  } catch (error) {
    signal.throwIfAborted()
    // A connection that opens after the time is up is closed.
    opening.then((client) => client.close()).catch(() => {})
    return { error, ...outcome() }
  }
}
