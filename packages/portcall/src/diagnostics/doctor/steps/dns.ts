import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { errorMessage } from '../../../../../util/src/errors.ts'
import { displayProxy } from '../../../net/proxy-error.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { proxyOf } from '../http/send-http.ts'
import { errorCode, errorProblem, evidenceOf, skipped, stepOutcome } from '../outcome.ts'
import { withinTime } from '../within-time.ts'

const ADVICE: { readonly [code: string]: string } = {
  ENOTFOUND: 'Check the spelling of the host name, and that its DNS record exists.',
  EAI_AGAIN: 'Check your network and its DNS servers. If others can resolve the name, check its spelling.',
}

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
    const code = errorCode(error)
    return stepOutcome('', {
      evidence: evidenceOf({ host, error: errorMessage(error) }),
      problems: [
        errorProblem(
          'name-not-resolved',
          `The name ${host} cannot be resolved${code && ` (${code})`}`,
          ADVICE[code] ?? ADVICE['EAI_AGAIN'] ?? '',
        ),
      ],
    })
  }
}
