/**
 * The clients of the proxy. The id of a dynamically registered client contains its sealed registration, so that nothing is stored and a flood
 * of registrations takes no memory. A client may also be identified by the https URL of its client ID metadata document, or be registered by
 * hand.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
 */

import { sha256 } from '../../../../util/src/digest.ts'
import { randomId } from '../../../../util/src/random.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { HookRequest } from '../../protocol/http.ts'
import type { Sealer } from '../../stores/sealing/seal.ts'
import { type ClientDescription, checkRegistration, describeRegistration, parseMetadata, usesSecret } from './client-metadata.ts'
import { createDocumentFetch } from './document-fetch.ts'
import { OAuthEndpointError } from './http.ts'
import type { OAuthProxyOptions } from './options.ts'

/** A client of the proxy. */
export interface ProxyClient extends ClientDescription {
  readonly id: string
  /** How the description got here: by hand, from the document at its id, or from the client itself, whose name nobody has verified. */
  readonly source: 'configuration' | 'document' | 'registration'
}

export interface ProxyClients {
  /** Registers a client. The secret is not stored. @throws OAuthEndpointError */
  register(metadata: JsonObject): Promise<{ readonly client: ProxyClient; readonly secret: string | undefined }>
  /** Returns the client that a request names. @throws OAuthEndpointError for an unknown client. */
  find(id: string, request: HookRequest): Promise<ProxyClient>
  /** Returns the public keys of a client. @throws OAuthEndpointError if they cannot be fetched. */
  keysOf(client: ProxyClient, request: HookRequest): Promise<JsonObject>
}

export interface ProxyClientsOptions
  extends Pick<OAuthProxyOptions, 'dynamicRegistration' | 'metadataDocuments' | 'clients' | 'fetch' | 'allow' | 'resource'> {
  readonly sealer: Sealer
  readonly issuer: string
  readonly clientTtlMs: number
  readonly now: () => number
}

const SECRET_BYTES = 32
const PURPOSE = 'proxy-client'
const PREFIX = 'dcr.'

/** @throws TypeError for an invalid client of the configuration. */
export function createProxyClients(options: ProxyClientsOptions): ProxyClients {
  const { dynamicRegistration = true, metadataDocuments = true, clients = [], sealer, issuer, clientTtlMs } = options
  const documentOptions = typeof metadataDocuments === 'object' ? metadataDocuments : {}
  const { requesterAddress = ({ remoteAddress }: HookRequest) => remoteAddress } = documentOptions
  const fetchDocument = createDocumentFetch({ ...options, ...documentOptions })
  for (const client of clients) checkRegistration(client)
  const configured = new Map(clients.map((client) => [client.clientId, client]))

  const findDocument = async (id: string, request: HookRequest): Promise<ProxyClient> => {
    const document = await fetchDocument(id, requesterAddress(request))
    const description = parseMetadata(document)
    if (document.client_id !== id || usesSecret(description.credentials.method))
      throw invalidClient('The client document describes another client, or one with a secret')
    return { id, source: 'document', ...description }
  }
  const findRegistered = async (id: string): Promise<ProxyClient> => {
    const text = id.startsWith(PREFIX) ? id.slice(PREFIX.length) : ''
    const description = await sealer.open(PURPOSE, text, { binding: issuer }).catch(() => undefined)
    if (!description) throw invalidClient('The client is not registered')
    return { id, source: 'registration', ...(description as ClientDescription) }
  }
  return {
    async register(metadata) {
      if (!dynamicRegistration) throw new OAuthEndpointError('access_denied', 'Dynamic client registration is disabled', 403)
      const parsed = parseMetadata(metadata)
      const secret = usesSecret(parsed.credentials.method) ? randomId(SECRET_BYTES) : undefined
      const credentials = { ...parsed.credentials, ...(secret !== undefined && { secretHash: await sha256(secret) }) }
      const description: ClientDescription = { ...parsed, credentials }
      const id = PREFIX + (await sealer.seal(PURPOSE, description, { ttlMs: clientTtlMs, binding: issuer }))
      return { client: { id, source: 'registration', ...description }, secret }
    },
    async find(id, request) {
      const known = configured.get(id)
      if (known) return { id, source: 'configuration', ...(await describeRegistration(known)) }
      return metadataDocuments && id.startsWith('https://') ? findDocument(id, request) : findRegistered(id)
    },
    async keysOf({ credentials: { jwks, jwksUri } }, request) {
      return jwks ?? fetchDocument(jwksUri ?? '', requesterAddress(request))
    },
  }
}

function invalidClient(message: string): OAuthEndpointError {
  return new OAuthEndpointError('invalid_client', message, 401)
}
