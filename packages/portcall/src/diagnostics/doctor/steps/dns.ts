import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { type ConnectionFault, connectionFault, systemCodeOf } from '../../../../../util/src/connection-faults.ts'
import { errorMessage } from '../../../../../util/src/errors.ts'
import { displayProxy } from '../../../net/proxy-error.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { proxyOf } from '../http/send-http.ts'
import { evidenceOf, faultProblem, skipped, stepOutcome } from '../outcome.ts'
import { withinTime } from '../within-time.ts'

const UNRESOLVED = connectionFault('EAI_AGAIN') as ConnectionFault

/** Resolves the host name, in the way that connections do. */
export async function checkDns(state: DiagnosisState): Promise<StepOutcome> {
  const { known, stepTimeoutMs } = state
  const host = known.url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (isIP(host)) {
    known.addresses = [host]
    return skipped(`${host} is an address, not a name`)
  }
  const proxy = known.url && proxyOf(known.url)
  if (proxy) return skipped(`the proxy ${displayProxy(proxy)} resolves the name`)
  try {
    const found = await withinTime(lookup(host, { all: true }), stepTimeoutMs, state.signal)
    known.addresses = found.map(({ address }) => address)
    return stepOutcome(`${host} resolves to ${known.addresses.join(', ')}`, {
      evidence: evidenceOf({ addresses: known.addresses.join(', ') }),
    })
  } catch (error) {
    state.signal.throwIfAborted()
    const code = systemCodeOf(error)
    return stepOutcome('', {
      evidence: evidenceOf({ host, error: errorMessage(error) }),
      problems: [faultProblem(connectionFault(code) ?? UNRESOLVED, host)],
    })
  }
}
