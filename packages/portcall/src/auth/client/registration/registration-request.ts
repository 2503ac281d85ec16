import type { OptionNames } from '../../../../../util/src/check-options.ts'
import type { PreRegisteredClient } from './pre-registered.ts'

/** How to identify the client. The first source that the authorization server supports is used. */
export interface ClientSources {
  /** A client that was registered by hand. */
  readonly client?: PreRegisteredClient
  /** The https URL of a client ID metadata document, which is then the client id. */
  readonly clientMetadataUrl?: string
  /** Members of a dynamic registration: `client_uri`, `logo_uri`, `scope`, `token_endpoint_auth_method` … They replace those that are sent otherwise. */
  readonly registrationMetadata?: Readonly<Record<string, unknown>>
  /** The name on the consent page. Default: `MCP client`. */
  readonly clientName?: string
}

/** The names of the options that identify the client. */
export const CLIENT_SOURCE_NAMES: OptionNames<ClientSources> = {
  client: 'object',
  clientMetadataUrl: 'text',
  registrationMetadata: 'object',
  clientName: 'text',
}

/** The uses that a client is registered for. */
export interface RegistrationRequest {
  readonly redirectUris: readonly string[]
  readonly grantTypes: readonly string[]
  /** `native` for programs on the user's machine, `web` for all others. */
  readonly applicationType: 'native' | 'web'
  /** How long a sign-in can take, in milliseconds. Default: no sign-in is expected to return. */
  readonly signInTtlMs?: number
}

export interface ResolveRequest extends RegistrationRequest {
  /** Registers a new client, even if there is a stored registration. */
  readonly renew?: boolean
  /** Authentication methods that the server lists and does not accept. */
  readonly refusedMethods?: readonly string[]
}
