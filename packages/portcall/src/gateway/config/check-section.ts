import { closestName } from '../../../../util/src/closest-name.ts'
import { isLoopbackListener } from '../../../../util/src/loopback-host.ts'
import { isUrl, parseUrl } from '../../../../util/src/parse-url.ts'
import type { ConfigDocument, ConfigPath } from '../../connect/config/document-types.ts'
import type { TextPosition } from '../../connect/config/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { cspSourceHint, isCspSource } from '../../protocol/csp-source.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Issue } from '../../schema/standard.ts'
import { NARROWED_LISTS } from '../policy/narrow-views.ts'
import { asWritten, valueAt } from './as-written.ts'
import { checkAccounts, checkServerAuth, checkSets } from './check-access.ts'
import { checkEventWebhook } from './check-event-webhook.ts'
import { narrowSchema } from './narrow-schema.ts'
import { GATEWAY_SECTION_SCHEMA } from './schema.ts'
import type { ConfigIssue, GatewaySection } from './types.ts'

/** An issue with its position in the text. */
export interface LocatedIssue {
  readonly position: TextPosition | undefined
  readonly message: string
}

/** Returns the position of an issue. */
export function locateIssue({ path, message }: ConfigIssue, document: ConfigDocument): LocatedIssue {
  return { position: document.positionOf(path), message }
}

/**
 * Checks the `gateway` section against its schema, and what a schema cannot express. `written` is the section before its variables were
 * replaced. Issues contain no value of a variable.
 */
export async function checkSection(
  section: unknown,
  servers: readonly string[],
  written: unknown = section,
): Promise<ConfigIssue[]> {
  const found = await findIssues(section)
  if (found.length === 0) {
    return CHECKS.flatMap((check) => check(section as GatewaySection, servers)).map(({ path, message }) => ({
      path: ['gateway', ...path],
      message: `${nameOf(['gateway', ...path])} ${asWritten(message, valueAt(section, path), valueAt(written, path))}`,
    }))
  }
  const ofWritten = written === section ? found : await findIssues(written)
  return found.map((issue) => {
    const { path, message } = issue
    if (valueAt(section, path) === valueAt(written, path)) return describeIssue(path, message)
    const same = ofWritten.find((other) => String(other.path) === String(path))
    return describeIssue(path, same?.message ?? 'has an invalid value')
  })
}

async function findIssues(section: unknown): Promise<readonly Issue[]> {
  const { issues = [] } = await compileSchema(narrowSchema(GATEWAY_SECTION_SCHEMA, section), 'input').parse(section)
  return issues
}

const UNKNOWN = 'not a known property'

function describeIssue(path: ConfigPath, message: string): ConfigIssue {
  const full = ['gateway', ...path]
  if (message === UNKNOWN) {
    const known = keysAt(GATEWAY_SECTION_SCHEMA, path.slice(0, -1))
    return { path: full, message: `${nameOf(full)} is not a known key${suggestKey(String(path.at(-1)), known)}` }
  }
  if (message === 'required')
    return { path: full.slice(0, -1), message: `${nameOf(full.slice(0, -1))} needs the key ${path.at(-1)}` }
  return { path: full, message: `${nameOf(full)}: ${message}` }
}

/** Returns the keys that an object may have. */
function keysAt(schema: unknown, path: ConfigPath): string[] {
  if (!isObject(schema)) return []
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((one: unknown) => keysAt(one, path))
  const [step, ...rest] = path
  if (step === undefined) return isObject(schema.properties) ? Object.keys(schema.properties) : []
  if (typeof step === 'number') return keysAt(schema.items, rest)
  const properties: JsonObject = isObject(schema.properties) ? schema.properties : {}
  return keysAt(Object.hasOwn(properties, step) ? properties[step] : schema.additionalProperties, rest)
}

/** Suggests the most similar key, or else lists the keys. */
export function suggestKey(key: string, known: readonly string[], what = 'keys'): string {
  const closest = closestName(key, known) ?? known.find((name) => lettersOf(name) === lettersOf(key))
  if (closest !== undefined) return `; did you mean ${closest}?`
  return known.length > 0 ? `; known ${what}: ${known.join(', ')}` : ''
}

/** Two swapped letters are a common mistake in short names. */
function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('')
}

/** Writes a path as in JavaScript. */
export function nameOf(path: ConfigPath): string {
  return path.reduce<string>(
    (name, step) => (typeof step === 'number' ? `${name}[${step}]` : name === '' ? step : `${name}.${step}`),
    '',
  )
}

type Check = (section: GatewaySection, servers: readonly string[]) => ConfigIssue[]

const STORE = /^(sqlite:.+|rediss?:\/\/.+|postgres(ql)?:\/\/.+)$/

const MIN_KEY_LENGTH = 16
const SHA256 = /^[\w-]{43}$/

const CHECKS: readonly Check[] = [
  checkServerAuth,
  checkAccounts,
  checkSets,
  checkEventWebhook,
  ({ servers = {} }, names) =>
    Object.keys(servers)
      .filter((name) => !names.includes(name))
      .map((name) => ({
        path: ['servers', name],
        message: `is not a server of this configuration${suggestKey(name, names, 'servers')}`,
      })),
  ({ servers = {} }) => {
    const duplicates = (kind: 'tools' | 'prompts' | 'events'): ConfigIssue[] =>
      Object.entries(servers).flatMap(([name, settings]) => {
        const renamed = Object.values(settings[kind]?.rename ?? {})
        const duplicate = renamed.find((one, at) => renamed.indexOf(one) !== at)
        return duplicate === undefined
          ? []
          : [{ path: ['servers', name, kind, 'rename'], message: `gives several ${kind} the name ${duplicate}` }]
      })
    return [...duplicates('tools'), ...duplicates('prompts'), ...duplicates('events')]
  },
  ({ servers = {} }, names) => {
    const aliases = names.map((name) => servers[name]?.alias ?? name)
    return Object.entries(servers).flatMap(([name, { alias }]) =>
      alias !== undefined && alias !== '' && aliases.filter((one) => one === alias).length > 1
        ? [{ path: ['servers', name, 'alias'], message: `is the name or alias of another server, ${alias}` }]
        : [],
    )
  },
  ({ listen: { host, allowedHosts, path } = {}, auth }) => [
    ...(host !== undefined && !isLoopbackListener(host) && !allowedHosts && !auth
      ? [{ path: ['listen', 'host'], message: 'requires gateway.listen.allowedHosts, because it is not a loopback address' }]
      : []),
    ...(path !== undefined && auth && isUrl(auth.resource) && new URL(auth.resource).pathname !== path
      ? [{ path: ['listen', 'path'], message: 'differs from the path of gateway.auth.resource. Remove it' }]
      : []),
  ],
  ({ auth }) => {
    if (!auth) return []
    const { resource, issuers = [], apiKeys = [] } = auth
    return [
      ...(isHttpUrl(resource) ? [] : [{ path: ['auth', 'resource'], message: 'must be the http(s) URL of the gateway' }]),
      ...(issuers.length + apiKeys.length > 0 ? [] : [{ path: ['auth'], message: 'needs issuers or apiKeys' }]),
      ...issuers.flatMap((issuer, at) =>
        isHttpUrl(typeof issuer === 'string' ? issuer : issuer.issuer)
          ? []
          : [{ path: ['auth', 'issuers', at], message: 'must be the http(s) URL of an issuer' }],
      ),
      ...apiKeys.flatMap(({ key, hash }, at) =>
        (key === undefined) === (hash === undefined)
          ? [{ path: ['auth', 'apiKeys', at], message: 'needs either key or hash' }]
          : [],
      ),
      ...apiKeys.flatMap(({ key, hash }, at) => [
        ...(key !== undefined && key.length < MIN_KEY_LENGTH
          ? [{ path: ['auth', 'apiKeys', at, 'key'], message: `must have at least ${MIN_KEY_LENGTH} characters` }]
          : []),
        ...(hash !== undefined && !SHA256.test(hash)
          ? [{ path: ['auth', 'apiKeys', at, 'hash'], message: 'must be a SHA-256 in base64url' }]
          : []),
      ]),
    ]
  },
  ({ store }) =>
    store === undefined || STORE.test(store)
      ? []
      : [{ path: ['store'], message: 'must be sqlite:FILE, redis://HOST:PORT or postgres://HOST/DATABASE' }],
  ({ policy: { rules = [] } = {} }) =>
    rules.flatMap(({ do: action, annotations }, at) =>
      action === 'allow' && annotations
        ? [
            {
              path: ['policy', 'rules', at, 'annotations'],
              message: 'cannot allow anything, because servers can declare what they like',
            },
          ]
        : [],
    ),
  ({ views = {} }) =>
    NARROWED_LISTS.flatMap((list) =>
      (views[list] ?? []).flatMap((origin, at) =>
        isCspSource(origin) ? [] : [{ path: ['views', list, at], message: `is not an origin. ${cspSourceHint(origin)}` }],
      ),
    ),
  ({ policy, limits = [], views = {} }, names) => [
    ...unknownServers(views, { path: ['views'], names }),
    ...(policy?.rules ?? []).flatMap((rule, at) => unknownServers(rule, { path: ['policy', 'rules', at], names })),
    ...limits.flatMap((limit, at) => unknownServers(limit, { path: ['limits', at], names })),
  ],
  ({ audit }) =>
    typeof audit !== 'object'
      ? []
      : (audit.redact?.patterns ?? []).flatMap((pattern, at) =>
          isRegExp(pattern) ? [] : [{ path: ['audit', 'redact', 'patterns', at], message: 'is not a regular expression' }],
        ),
]

/** A rule for a server that does not exist is probably misspelled. Patterns may be for servers to come. */
function unknownServers(
  { servers = [] }: { readonly servers?: string | readonly string[] },
  { path, names }: { readonly path: ConfigPath; readonly names: readonly string[] },
): ConfigIssue[] {
  return [servers]
    .flat()
    .filter((name) => !name.includes('*') && !names.includes(name))
    .map((name) => ({
      path: [...path, 'servers'],
      message: `names ${name}, which is not a server of this configuration${suggestKey(name, names, 'servers')}`,
    }))
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'g') !== undefined
  } catch {
    return false
  }
}

function isHttpUrl(text: string): boolean {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? '')
}
