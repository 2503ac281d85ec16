import type { ProtectedOptions, Verifier } from 'portcall/auth/server'
import type { GatewayAuthSettings, GatewayIssuer } from 'portcall/gateway'
import { isSameIssuer } from '../../../util/src/issuer.ts'
import { CliError } from '../cli-error.ts'

/** Creates the options that protect a gateway. @throws CliError if the metadata of an issuer cannot be read. */
export async function createProtectionOptions({
  resource,
  issuers = [],
  apiKeys = [],
  scopes,
}: GatewayAuthSettings): Promise<ProtectedOptions> {
  const auth = await import('portcall/auth/server')
  const named = issuers.map((issuer): GatewayIssuer => (typeof issuer === 'string' ? { issuer } : issuer))
  const tokens = await Promise.all(
    named.map(
      async ({ issuer, jwksUri, ...rest }): Promise<Verifier> =>
        auth.jwt({ issuer, jwksUri: jwksUri ?? (await discoverKeys(issuer)), ...rest }),
    ),
  )
  const keys = await Promise.all(
    apiKeys.map(async ({ subject, key = '', hash, scopes: granted }) => ({
      subject,
      hash: hash ?? (await auth.hashApiKey(key)),
      ...(granted && { scopes: granted }),
    })),
  )
  return auth.protect({
    resource,
    authorizationServers: named.map(({ issuer }) => issuer),
    verify: [...tokens, ...(keys.length > 0 ? [auth.apiKeys(keys)] : [])],
    ...(scopes && { scopes }),
  })
}

const METADATA_PATHS = ['.well-known/oauth-authorization-server', '.well-known/openid-configuration']
const METADATA_TIMEOUT_MS = 10_000

/** Reads the URL of the keys from the metadata of an issuer (RFC 8414 and OpenID Connect Discovery). */
async function discoverKeys(issuer: string): Promise<string> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = METADATA_PATHS.flatMap((name) => [`${origin}/${name}${path}`, `${origin}${path}/${name}`])
  for (const url of new Set(urls)) {
    const metadata = await readMetadata(url)
    if (typeof metadata?.issuer === 'string' && isSameIssuer(metadata.issuer, issuer) && typeof metadata.jwks_uri === 'string')
      return metadata.jwks_uri
  }
  throw new CliError('unreachable', `the metadata of the issuer ${issuer} cannot be read`, { hint: 'set its jwksUri' })
}

async function readMetadata(url: string): Promise<{ issuer?: unknown; jwks_uri?: unknown } | undefined> {
  try {
    const { createSafeFetch, ...auth } = await import('portcall/auth/client')
    const trustedUrl = new URL(url)
    const limits = { timeoutMs: METADATA_TIMEOUT_MS }
    const { fetch } = createSafeFetch({ trustedUrl, allow: [auth.insecureHttp], ...limits })
    const response = await fetch(trustedUrl)
    return response.ok ? ((await response.json()) as { issuer?: unknown; jwks_uri?: unknown }) : undefined
  } catch {
    return undefined
  }
}
