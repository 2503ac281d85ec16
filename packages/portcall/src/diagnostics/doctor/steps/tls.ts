import { isIP } from 'node:net'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { connectionFault, systemCodeOf } from '../../../../../util/src/connection-faults.ts'
import { errorMessage } from '../../../../../util/src/errors.ts'
import { displayProxy } from '../../../net/proxy-error.ts'
import type { DiagnosisState, StepOutcome } from '../facts.ts'
import { proxyOf, sendHttp } from '../http/send-http.ts'
import { errorProblem, evidenceOf, faultProblem, skipped, stepOutcome } from '../outcome.ts'
import { portOf } from '../port-of.ts'
import type { DiagnosisProblem, Evidence } from '../types.ts'

/** A connection with TLS, whose certificate may be invalid. */
interface Handshake {
  readonly protocol: string | null
  readonly certificate: PeerCertificate
  /** Why the certificate is not trusted. */
  readonly untrusted: string | undefined
}

/** Performs a TLS handshake and checks the certificate, without sending a request. */
export async function checkTls({ known, stepTimeoutMs, signal }: DiagnosisState): Promise<StepOutcome> {
  const url = known.url as URL
  if (url.protocol !== 'https:') return skipped('The URL uses http')
  const proxy = proxyOf(url)
  if (proxy) return skipped(`the requests check the certificate, through the proxy ${displayProxy(proxy)}`)
  try {
    const handshake = await shakeHands(url, stepTimeoutMs)
    const evidence = describe(handshake)
    return stepOutcome(`${handshake.protocol ?? 'TLS'}, the certificate is valid`, { evidence, problems: problemsOf(handshake) })
  } catch (error) {
    signal.throwIfAborted()
    const evidence = evidenceOf({ error: [systemCodeOf(error), errorMessage(error)].filter(Boolean).join(': ') })
    return stepOutcome('', { evidence, problems: [await explainHandshake(url, stepTimeoutMs)] })
  }
}

/** Performs a handshake that ignores an invalid certificate. @throws the error of the handshake. */
export function shakeHands(url: URL, timeoutMs: number): Promise<Handshake> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return new Promise((resolve, reject) => {
    const servername = isIP(host) ? {} : { servername: host }
    const socket: TLSSocket = connect({ host, port: portOf(url), ...servername, rejectUnauthorized: false })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(error)
    }
    socket.setTimeout(timeoutMs, () => fail(new Error(`no TLS handshake within ${timeoutMs} ms`)))
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      const untrusted = socket.authorized ? undefined : String(socket.authorizationError)
      resolve({ protocol: socket.getProtocol(), certificate: socket.getPeerCertificate(), untrusted })
      socket.destroy()
    })
  })
}

function describe({ protocol, certificate }: Handshake): Evidence[] {
  return evidenceOf({
    protocol: protocol ?? undefined,
    subject: nameOf(certificate.subject),
    names: certificate.subjectaltname,
    issuer: nameOf(certificate.issuer),
    'valid from': certificate.valid_from,
    'valid to': certificate.valid_to,
  })
}

function nameOf(name: PeerCertificate['subject'] | undefined): string | undefined {
  const { CN, O } = name ?? {}
  return [CN, O].flat().filter(Boolean).join(', ')
}

/** An expired certificate is reported first, because OpenSSL reports another reason if there are two. */
function problemsOf({ certificate, untrusted }: Handshake): DiagnosisProblem[] {
  if (untrusted === undefined) return []
  const isExpired = Date.parse(certificate.valid_to) < Date.now()
  const codes = [...new Set([...(isExpired ? ['CERT_HAS_EXPIRED'] : []), untrusted.split(':')[0] ?? ''])]
  return codes.map((code) => {
    const known = connectionFault(code)
    return known
      ? faultProblem(known)
      : errorProblem('certificate-invalid', `The certificate is not trusted (${untrusted})`, 'Check the certificate.')
  })
}

/** Finds out whether the port speaks HTTP without TLS. */
async function explainHandshake(url: URL, timeoutMs: number): Promise<DiagnosisProblem> {
  const plain = new URL(url)
  plain.protocol = 'http:'
  plain.port = String(portOf(url))
  const { status } = await sendHttp(plain, { method: 'GET', timeoutMs: Math.min(timeoutMs, 1500) })
  if (status !== undefined)
    return errorProblem(
      'port-speaks-http',
      `Port ${portOf(url)} speaks HTTP without TLS, but the URL uses https`,
      `Use ${plain.href}, or configure TLS on the server.`,
    )
  return errorProblem(
    'tls-failed',
    'The TLS handshake fails',
    'Check that the port serves HTTPS, and which TLS versions it accepts.',
  )
}
