import { connect } from '../../entrypoints/client.ts'
import type { ConnectionOutcome, DiagnosisState } from './facts.ts'
import { withinTime } from './within-time.ts'

const MAX_OUTPUT = 4000
const MAX_WARNINGS = 20

/** Connects to the server with the library, once: later calls return the same outcome. */
export async function connectOnce(state: DiagnosisState): Promise<ConnectionOutcome> {
  const { known } = state
  known.connection ??= await tryConnect(state)
  return known.connection
}

async function tryConnect({ target, options, stepTimeoutMs, signal }: DiagnosisState): Promise<ConnectionOutcome> {
  let [stderr, strayOutput] = ['', '']
  const warnings: string[] = []
  const { headers, auth, protocolVersion } = options
  const opening = connect(target, {
    info: { name: 'portcall-doctor', version: '1.0.0' },
    signal,
    probeTimeoutMs: Math.ceil(stepTimeoutMs * 0.4),
    connectTimeoutMs: stepTimeoutMs,
    timeouts: { requestTimeoutMs: stepTimeoutMs, totalTimeoutMs: stepTimeoutMs },
    ...(headers && { headers }),
    ...(auth && { auth }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    onStderr: (text) => void (stderr = (stderr + text).slice(-MAX_OUTPUT)),
    onEvent(event) {
      if (event.type === 'unexpected-message' && strayOutput.length < MAX_OUTPUT) strayOutput += `${event.text}\n`
      if (event.type === 'warning' && warnings.length < MAX_WARNINGS) warnings.push(event.message)
    },
  })
  try {
    const client = await withinTime(opening, stepTimeoutMs + 300, signal)
    // A connection in a chosen version opens without a request.
    if (protocolVersion !== undefined) await client.discover()
    return { client, stderr, strayOutput, warnings }
  } catch (error) {
    signal.throwIfAborted()
    // A connection that opens after the time is up is closed.
    opening.then((client) => client.close()).catch(() => {})
    return { error, stderr, strayOutput, warnings }
  }
}
