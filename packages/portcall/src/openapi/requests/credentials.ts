/** Adds credentials to requests, as the security requirements of the description say. */

import { toBase64 } from '../../../../util/src/base64.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { Call } from '../../server/call.ts'
import type { ApiDocument } from '../document/document.ts'
import { arrayOrEmpty, objectOrEmpty } from '../document/json.ts'
import type { DescribedOperation } from '../document/operations.ts'
import type { ApiCredential, ApiCredentialSource, ApiSecurityScheme } from '../options.ts'

/** The members of a request that carry credentials. */
export interface RequestCredentials {
  readonly headers: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly cookies: Readonly<Record<string, string>>
  /** Texts that must not appear in results. */
  readonly secrets: readonly string[]
}

/** Returns the credentials for a call of an operation. */
export type GetCredentials = (call: Call) => Promise<RequestCredentials>

const NOTHING: RequestCredentials = { headers: {}, query: {}, cookies: {}, secrets: [] }

/**
 * Creates the function that returns the credentials of an operation: those of the first security requirement that can be met, and the keys that the
 * operation also requires as parameters. Some descriptions list as alternatives what a request needs together.
 */
export function createCredentials(
  operation: DescribedOperation,
  document: ApiDocument,
  sources: { readonly [scheme: string]: ApiCredentialSource },
): GetCredentials {
  const schemes = describedSchemes(document)
  const requirements = requirementsOf(operation, document) ?? []
  const candidates = requirements.filter((requirement) => Object.keys(requirement).every((name) => Object.hasOwn(sources, name)))
  const demanded = keysAmongParameters(operation, document).filter((name) => Object.hasOwn(sources, name))
  const resolve = async (name: string, scopes: unknown, call: Call): Promise<RequestCredentials | undefined> => {
    const scheme = Object.hasOwn(schemes, name) ? (schemes[name] ?? {}) : {}
    const credential = await resolveCredential(sources[name], call, describeScheme({ name, scopes, scheme }, operation))
    return credential === undefined ? undefined : placeCredential(scheme, credential)
  }
  return async (call) => {
    for (const requirement of candidates) {
      const parts = await Promise.all(Object.entries(requirement).map(([name, scopes]) => resolve(name, scopes, call)))
      if (!parts.every((part) => part !== undefined)) continue
      const others = demanded.filter((name) => !Object.hasOwn(requirement, name))
      const more = await Promise.all(others.map((name) => resolve(name, [], call)))
      return mergeCredentials([...parts, ...more.filter((part) => part !== undefined)])
    }
    return NOTHING
  }
}

/** Returns the names of the schemes whose keys an operation requires as parameters. */
function keysAmongParameters(operation: DescribedOperation, document: ApiDocument): string[] {
  const required = operation.parameters.filter((parameter) => parameter.required === true)
  const isRequired = (scheme: JsonObject): boolean =>
    required.some(
      ({ in: place, name }) => place === scheme.in && String(name).toLowerCase() === String(scheme.name).toLowerCase(),
    )
  const schemes = Object.entries(schemesOf(operation, document))
  return schemes.filter(([, scheme]) => scheme.type === 'apiKey' && isRequired(scheme)).map(([name]) => name)
}

/** Returns the security schemes of a description by their names. */
export function describedSchemes({ root, follow }: ApiDocument): { [name: string]: JsonObject } {
  const schemes = Object.entries(objectOrEmpty(objectOrEmpty(root.components).securitySchemes))
  return Object.fromEntries(schemes.map(([name, scheme]) => [name, follow(scheme)]))
}

/**
 * Returns the security requirements of an operation, of which one must be met, or `undefined` if the description says nothing. An empty one,
 * which allows calls without credentials, comes last, wherever the description has it.
 */
export function requirementsOf({ source }: DescribedOperation, { root }: ApiDocument): JsonObject[] | undefined {
  const security = source.security ?? root.security
  const isEmpty = (requirement: JsonObject): boolean => Object.keys(requirement).length === 0
  const requirements = arrayOrEmpty(security).filter(isObject)
  return security === undefined ? undefined : requirements.sort((a, b) => Number(isEmpty(a)) - Number(isEmpty(b)))
}

/** Returns the schemes that an operation may require: all of them if the description does not say which. */
export function schemesOf(operation: DescribedOperation, document: ApiDocument): { [name: string]: JsonObject } {
  const schemes = describedSchemes(document)
  const names = requirementsOf(operation, document)?.flatMap((requirement) => Object.keys(requirement))
  return names ? Object.fromEntries(Object.entries(schemes).filter(([name]) => names.includes(name))) : schemes
}

interface RequiredScheme {
  readonly name: string
  readonly scopes: unknown
  readonly scheme: JsonObject
}

function describeScheme({ name, scopes, scheme }: RequiredScheme, operation: DescribedOperation): ApiSecurityScheme {
  const names = arrayOrEmpty(scopes).filter((scope) => typeof scope === 'string')
  return { name, type: String(scheme.type), scopes: names, operation }
}

async function resolveCredential(
  source: ApiCredentialSource | undefined,
  call: Call,
  scheme: ApiSecurityScheme,
): Promise<ApiCredential | undefined> {
  return typeof source === 'function' ? source(call, scheme) : source
}

/** Returns where a scheme puts a credential. */
function placeCredential(scheme: JsonObject, credential: ApiCredential): RequestCredentials {
  const secret = typeof credential === 'string' ? credential : credential.password
  const name = String(scheme.name)
  if (scheme.type === 'apiKey' && scheme.in === 'query') return { ...NOTHING, query: { [name]: secret }, secrets: [secret] }
  if (scheme.type === 'apiKey' && scheme.in === 'cookie') return { ...NOTHING, cookies: { [name]: secret }, secrets: [secret] }
  if (scheme.type === 'apiKey') return { ...NOTHING, headers: { [name]: secret }, secrets: [secret] }
  const isBasic = typeof credential !== 'string' || String(scheme.scheme).toLowerCase() === 'basic'
  if (!isBasic) return { ...NOTHING, headers: { authorization: `${authScheme(scheme)} ${secret}` }, secrets: [secret] }
  const pair = typeof credential === 'string' ? credential : `${credential.username}:${credential.password}`
  const complete = pair.includes(':') ? pair : `${pair}:`
  const password = complete.slice(complete.indexOf(':') + 1)
  return { ...NOTHING, headers: { authorization: `Basic ${toBase64(complete)}` }, secrets: [secret, complete, password] }
}

/** Returns the scheme of the `Authorization` header: `Bearer`, or another one of the registry that the description names. */
function authScheme({ type, scheme }: JsonObject): string {
  return type !== 'http' || typeof scheme !== 'string' || scheme.toLowerCase() === 'bearer' ? 'Bearer' : scheme
}

function mergeCredentials(parts: readonly RequestCredentials[]): RequestCredentials {
  return {
    headers: Object.assign({}, ...parts.map(({ headers }) => headers)),
    query: Object.assign({}, ...parts.map(({ query }) => query)),
    cookies: Object.assign({}, ...parts.map(({ cookies }) => cookies)),
    secrets: parts.flatMap(({ secrets }) => secrets),
  }
}
