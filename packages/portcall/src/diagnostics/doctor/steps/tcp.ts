import { createConnection } from 'node:net'
import { connectionFault, systemCodeOf } from '../../../../../util/src/connection-faults.ts'
import { displayProxy } from '../../../net/proxy-error.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { proxyOf } from '../http/send-http.ts'
import { errorProblem, evidenceOf, faultProblem, skipped, stepOutcome } from '../outcome.ts'
import { portOf } from '../port-of.ts'
import type { DiagnosisProblem } from '../types.ts'

/** Opens a connection to each address. One that works is enough. */
export async function checkTcp({ known, stepTimeoutMs, signal }: DiagnosisState): Promise<StepOutcome> {
  const { url, addresses = [] } = known
  const proxy = url && proxyOf(url)
  if (proxy) return skipped(`requests go through the proxy ${displayProxy(proxy)}`)
  const port = url ? portOf(url) : 0
  const results = await Promise.all(
    addresses
      .slice(0, 6)
      .map(async (address) => ({ address, code: await tryConnect({ host: address, port }, stepTimeoutMs, signal) })),
  )
  signal.throwIfAborted()
  const evidence = evidenceOf(
    Object.fromEntries(results.map(({ address, code }) => [`${address} port ${port}`, code === '' ? 'connected' : code])),
  )
  const working = results.filter(({ code }) => code === '')
  if (working.length > 0) return stepOutcome(`Port ${port} accepts connections`, { evidence })
  return stepOutcome('', { evidence, problems: [problemOf(results[0]?.code ?? '', `${url?.hostname} port ${port}`)] })
}

function problemOf(code: string, address: string): DiagnosisProblem {
  const known = connectionFault(code)
  return known
    ? faultProblem(known, address)
    : errorProblem('no-connection', `${address}: no connection opens (${code})`, 'Check the address and the port.')
}

/** Returns an empty text if the connection opens, otherwise the code of the error. */
function tryConnect(address: { host: string; port: number }, timeoutMs: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    const socket = createConnection({ ...address, signal })
    const finish = (code: string): void => {
      socket.destroy()
      resolve(code)
    }
    socket.setTimeout(timeoutMs, () => finish('ETIMEDOUT'))
    socket.once('connect', () => finish(''))
    socket.once('error', (error) => finish(systemCodeOf(error) || error.message))
  })
}
