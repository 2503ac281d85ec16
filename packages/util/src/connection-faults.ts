/** A reason why no connection opens. */
export interface ConnectionFault {
  /** Identifies the fault, such as `connection-refused`. */
  readonly code: string
  /** The fault, as a part of a sentence. */
  readonly fault: string
  /** Advice on what to check or change, without a period. */
  readonly advice: string
}

const TRUST =
  'If your network inspects TLS, name the certificate of its authority in the environment variable NODE_EXTRA_CA_CERTS'

const REFUSED: ConnectionFault = {
  code: 'connection-refused',
  fault: 'the connection was refused',
  advice: 'Is the server running, and is the port right? Does it listen on this address?',
}

const NO_TLS: ConnectionFault = {
  code: 'tls-failed',
  fault: 'TLS failed',
  advice: 'Does the server use http: instead of https:?',
}

const INCOMPLETE_CHAIN: ConnectionFault = {
  code: 'certificate-chain-incomplete',
  fault: 'the certificate was issued by an unknown authority',
  advice: `The server has to send its intermediate certificates. ${TRUST}`,
}

/** The faults by the error code of the platform. */
const FAULTS: { readonly [code: string]: ConnectionFault } = {
  ECONNREFUSED: REFUSED,
  ConnectionRefused: REFUSED,
  ECONNRESET: {
    code: 'connection-reset',
    fault: 'the connection was reset',
    advice: 'Check whether a proxy or a firewall is in between',
  },
  ETIMEDOUT: {
    code: 'connection-timeout',
    fault: 'the host does not answer',
    advice: 'Check the address and the port, and whether a firewall drops the packets',
  },
  ENOTFOUND: {
    code: 'name-not-resolved',
    fault: 'the host name does not exist',
    advice: 'Check its spelling, and that its DNS record exists',
  },
  EAI_AGAIN: {
    code: 'name-not-resolved',
    fault: 'the host name could not be resolved',
    advice: 'Check its spelling and your network',
  },
  EHOSTUNREACH: {
    code: 'host-unreachable',
    fault: 'the host is unreachable',
    advice: 'Check the address and your network',
  },
  ENETUNREACH: {
    code: 'network-unreachable',
    fault: 'the network is unreachable',
    advice: 'Check your network, VPN and proxy',
  },
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  CERT_HAS_EXPIRED: {
    code: 'certificate-expired',
    fault: 'the certificate has expired',
    advice: 'Renew the certificate',
  },
  CERT_NOT_YET_VALID: {
    code: 'certificate-not-yet-valid',
    fault: 'the certificate is not valid yet',
    advice: 'Check the clock of this machine, and the certificate',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: {
    code: 'certificate-self-signed',
    fault: 'the certificate is self-signed',
    advice: 'Add it with the environment variable NODE_EXTRA_CA_CERTS',
  },
  SELF_SIGNED_CERT_IN_CHAIN: {
    code: 'certificate-untrusted-root',
    fault: 'the certificate was issued by an authority that this machine does not trust',
    advice: 'Add the certificate of the authority with the environment variable NODE_EXTRA_CA_CERTS',
  },
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE_CHAIN,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE_CHAIN,
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'certificate-other-name',
    fault: 'the certificate is for another name',
    advice: 'Use a name that the certificate contains, or a certificate for this name',
  },
}

/** Returns the fault that an error code of the platform means. */
export function connectionFault(code: string): ConnectionFault | undefined {
  return Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined
}

/**
 * Returns the error code of the platform, also of an error that wraps others: Node reports one for each address of a host name, and `fetch` has
 * the error as its cause. The code is '' if there is none.
 */
export function systemCodeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { code, errors, cause } = error as { code?: unknown; errors?: unknown; cause?: unknown }
  if (typeof code === 'string') return code
  const [first] = Array.isArray(errors) ? (errors as unknown[]) : []
  return systemCodeOf(first ?? cause)
}

/** Says that an origin could not be reached, and why, as far as the error of the platform tells. */
export function describeUnreachable(origin: string, error: unknown): string {
  const code = systemCodeOf(error)
  const fault = connectionFault(code)?.fault
  return `${origin} could not be reached${fault === undefined ? '' : `: ${fault}`}${code && ` (${code})`}`
}
