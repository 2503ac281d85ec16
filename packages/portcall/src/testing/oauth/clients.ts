import { isLoopbackHost } from '../../../../util/src/loopback-host.ts'
import { isUrl, parseUrl } from '../../../../util/src/parse-url.ts'
import { randomId } from '../../../../util/src/random.ts'
import type { AuthorizationServerOptions, ClientMetadata } from './options.ts'
import { OAuthError } from './request.ts'

/** The clients of a server. */
export interface ClientStore {
  /** Returns a registered client, or the client whose metadata document has the URL `id`. */
  find(id: string): Promise<ClientMetadata | undefined>
  /** Registers a client. */
  register(metadata: Readonly<Record<string, unknown>>): ClientMetadata
}

const FETCH_TIMEOUT_MS = 5000

export function createClientStore({ clients = [], metadataDocuments = fetchDocument }: AuthorizationServerOptions): ClientStore {
  const registered = new Map(clients.map((client) => [client.client_id, client]))
  return {
    async find(id) {
      const client = registered.get(id)
      if (client || metadataDocuments === false || !isDocumentUrl(id)) return client
      return checkDocument(id, await metadataDocuments(id))
    },
    register(metadata) {
      const method = metadata['token_endpoint_auth_method'] ?? 'client_secret_basic'
      const hasSecret = typeof method === 'string' && method.startsWith('client_secret_')
      const client: ClientMetadata = {
        ...metadata,
        token_endpoint_auth_method: String(method),
        client_id: randomId(),
        ...(hasSecret && { client_secret: randomId(), client_secret_expires_at: 0 }),
      }
      registered.set(client.client_id, client)
      return client
    },
  }
}

/** Reports whether a client ID can be the URL of a metadata document: HTTPS or localhost, with a path. */
function isDocumentUrl(id: string): boolean {
  if (!isUrl(id)) return false
  const { protocol, hostname, pathname } = new URL(id)
  return (protocol === 'https:' || isLoopbackHost(hostname)) && pathname.length > 1
}

async function fetchDocument(url: string): Promise<unknown> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_TIMEOUT_MS) })
  return response.ok ? response.json() : undefined
}

function checkDocument(id: string, document: unknown): ClientMetadata {
  const metadata = document as ClientMetadata | undefined
  if (metadata?.client_id !== id) throw new OAuthError('invalid_client', 'The metadata document belongs to another client')
  if (!Array.isArray(metadata.redirect_uris) || typeof metadata['client_name'] !== 'string')
    throw new OAuthError('invalid_client', 'The metadata document lacks client_name or redirect_uris')
  return { token_endpoint_auth_method: 'none', ...metadata }
}

/**
 * Reports whether a redirect URI is registered for a client. The port of a localhost URI may differ
 * ([RFC 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)).
 */
export function mayRedirectTo({ redirect_uris = [] }: ClientMetadata, uri: string): boolean {
  const portless = withoutPort(uri)
  return redirect_uris.some(
    (registered) => registered === uri || (portless !== undefined && withoutPort(registered) === portless),
  )
}

/** Returns a localhost URI without its port, and `undefined` for any other URI. */
function withoutPort(uri: string): string | undefined {
  const url = parseUrl(uri)
  if (url?.protocol !== 'http:' || !isLoopbackHost(url.hostname)) return undefined
  url.port = ''
  return url.href
}
