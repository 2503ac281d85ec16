import { random } from './ground.ts'
import type { AuthorizationServerOptions, ClientMetadata } from './options.ts'
import { Refusal } from './request.ts'

/** The clients of a server. */
export interface Clients {
  /** A client that is known, or whose id is the address of its metadata. */
  find(id: string): Promise<ClientMetadata | undefined>
  /** Makes a client of what it says about itself. */
  register(metadata: Readonly<Record<string, unknown>>): ClientMetadata
}

const MOST_MS = 5000

/** Makes the clients of a server. */
export function createClients({ clients = [], documents = fetchDocument }: AuthorizationServerOptions): Clients {
  const known = new Map(clients.map((client) => [client.client_id, client]))
  return {
    async find(id) {
      const client = known.get(id)
      if (client || documents === false || !isDocumentUrl(id)) return client
      return checkDocument(id, await documents(id))
    },
    register(metadata) {
      const method = metadata['token_endpoint_auth_method'] ?? 'client_secret_basic'
      const isSecret = typeof method === 'string' && method.startsWith('client_secret_')
      const client: ClientMetadata = {
        ...metadata,
        token_endpoint_auth_method: String(method),
        client_id: random(),
        ...(isSecret && { client_secret: random(), client_secret_expires_at: 0 }),
      }
      known.set(client.client_id, client)
      return client
    },
  }
}

/** Whether an id can be the address of metadata: https, or this machine, with a path. */
function isDocumentUrl(id: string): boolean {
  if (!URL.canParse(id)) return false
  const { protocol, hostname, pathname } = new URL(id)
  return (protocol === 'https:' || isLoopback(hostname)) && pathname.length > 1
}

async function fetchDocument(url: string): Promise<unknown> {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(MOST_MS) })
  return response.ok ? response.json() : undefined
}

function checkDocument(id: string, document: unknown): ClientMetadata {
  const metadata = document as ClientMetadata | undefined
  if (metadata?.client_id !== id) throw new Refusal('invalid_client', 'The document is that of another client')
  if (!Array.isArray(metadata.redirect_uris) || typeof metadata['client_name'] !== 'string')
    throw new Refusal('invalid_client', 'The document lacks client_name or redirect_uris')
  return { token_endpoint_auth_method: 'none', ...metadata }
}

export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname)
}

/**
 * Whether a client may be sent to an address: one that it named; on this machine the port may be another one
 * ([RFC 8252 §7.3](https://www.rfc-editor.org/rfc/rfc8252#section-7.3)).
 */
export function mayRedirect({ redirect_uris = [] }: ClientMetadata, uri: string): boolean {
  const here = withoutPort(uri)
  return redirect_uris.some((registered) => registered === uri || (here !== undefined && withoutPort(registered) === here))
}

/** An address on this machine, without its port. */
function withoutPort(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined
  if (url?.protocol !== 'http:' || !isLoopback(url.hostname)) return undefined
  url.port = ''
  return url.href
}
