import { isUrl, parseUrl } from '../../../../util/src/parse-url.ts'
import { type GatewayAccountSettings, type GatewayServerAuth, PER_CALLER } from './access-settings.ts'
import type { ConfigIssue, GatewaySection } from './types.ts'

/** The keys of each kind of credentials besides `type`. */
const AUTH_KEYS: {
  readonly [type in GatewayServerAuth['type']]: { readonly required: readonly string[]; readonly optional: readonly string[] }
} = {
  bearer: { required: [], optional: ['token', 'file'] },
  'client-credentials': { required: ['clientId', 'clientSecret', 'issuer'], optional: ['scopes'] },
  'token-exchange': { required: ['clientId', 'clientSecret', 'issuer'], optional: ['scopes', 'parameters'] },
  user: { required: [], optional: ['clientId', 'clientSecret', 'issuer', 'clientName', 'scopes'] },
}

/** Checks the credentials of the servers. The paths of issues begin in the section. */
export function checkServerAuth({ servers = {}, auth: inbound }: GatewaySection): ConfigIssue[] {
  return Object.entries(servers).flatMap(([name, { auth, sharing }]) => {
    if (!auth) return []
    const path = ['servers', name, 'auth']
    return [
      ...authIssues(auth),
      ...(PER_CALLER.has(auth.type) && sharing === 'shared'
        ? [`of type ${auth.type} needs connections for each caller. Remove sharing`]
        : []),
      ...(auth.type === 'token-exchange' && !inbound
        ? ['of type token-exchange needs gateway.auth: the tokens of callers are exchanged']
        : []),
    ].map((message) => ({ path, message }))
  })
}

function authIssues(auth: GatewayServerAuth): string[] {
  const { required, optional } = AUTH_KEYS[auth.type]
  const keys = Object.keys(auth).filter((key) => key !== 'type')
  return [
    ...required.filter((key) => !keys.includes(key)).map((key) => `of type ${auth.type} needs the key ${key}`),
    ...keys
      .filter((key) => !required.includes(key) && !optional.includes(key))
      .map((key) => `of type ${auth.type} has no key ${key}`),
    ...(auth.type === 'bearer' && (auth.token === undefined) === (auth.file === undefined) ? ['needs either token or file'] : []),
    ...(auth.issuer === undefined || isUrl(auth.issuer) ? [] : ['needs the http(s) URL of its issuer']),
  ]
}

/** Checks how users connect accounts. */
export function checkAccounts({ servers = {}, accounts = {}, auth, store, sealingKeys }: GatewaySection): ConfigIssue[] {
  const hasAccounts = Object.values(servers).some((server) => server.auth?.type === 'user')
  if (!hasAccounts) return []
  const { origin, identify } = accounts
  return [
    ...(auth && !auth.issuers?.length && (identify === undefined || isLogin(identify))
      ? [{ path: ['accounts'], message: 'needs identify with a header, so that nobody can finish the sign-in of somebody else' }]
      : []),
    ...(store !== undefined && !sealingKeys
      ? [{ path: ['sealingKeys'], message: 'is missing: it encrypts the tokens of users in the store' }]
      : []),
    ...(origin === undefined || parseUrl(origin)?.pathname === '/'
      ? []
      : [{ path: ['accounts', 'origin'], message: 'must be an origin, such as https://gateway.example.com' }]),
  ]
}

function isLogin(identify: GatewayAccountSettings['identify']): boolean {
  return typeof identify === 'object' && !('header' in identify) && identify.issuer === undefined
}

/** Checks the sets of tools. */
export function checkSets({ sets = {} }: GatewaySection): ConfigIssue[] {
  return Object.entries(sets).flatMap(([name, { changes = {} }]) => {
    const names = Object.entries(changes).map(([tool, change]) => change.name ?? tool)
    const duplicate = names.find((one, at) => names.indexOf(one) !== at)
    return [
      ...(duplicate === undefined
        ? []
        : [{ path: ['sets', name, 'changes'], message: `gives several tools the name ${duplicate}` }]),
      ...(/^[\w.~-]+$/.test(name) ? [] : [{ path: ['sets', name], message: 'is not a name that can be part of a path' }]),
    ]
  })
}
