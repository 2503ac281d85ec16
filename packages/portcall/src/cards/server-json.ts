import { closestName } from '../../../util/src/closest-name.ts'
import { isJsonEqual } from '../../../util/src/json-equal.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { CardOptions, ServerCard } from '../protocol/server-card.ts'
import { PUBLISHER_META, type RegistryPackage, SERVER_JSON_SCHEMA, type ServerJson } from '../protocol/server-json.ts'
import type { Implementation } from '../protocol/types.ts'
import { createReporter, type DocumentProblem, describeProblems, type Report } from './document-problem.ts'
import { parsePublicUrl } from './public-url.ts'
import { createServerCard } from './server-card.ts'
import {
  ARRAY,
  checkCardItems,
  checkDescription,
  checkExactVersion,
  checkInput,
  checkMembers,
  checkNamedInputs,
  FLAG,
  type MemberRule,
  type MemberRules,
  matches,
  OBJECT,
  oneOfTexts,
  type Place,
  requiredMember,
  TEXT,
  URI,
  within,
} from './validate-card.ts'

/** Options of `createServerJson`: those of the endpoint, and what only the registry knows. */
export interface ServerJsonOptions {
  /** The public URL of the endpoint. Absent for a server that users only run themselves. */
  readonly publicUrl?: string
  /** The option `card` of the endpoint. */
  readonly card?: boolean | CardOptions
  /** The packages that users can install. */
  readonly packages?: readonly RegistryPackage[]
}

/**
 * Creates `server.json` for the registry from the definition that makes the card of a server: its name, version, title and description, and the option
 * `card` of its endpoint.
 *
 * @example
 * const document = createServerJson(server, { publicUrl: 'https://api.example.com/mcp', packages: [PACKAGE] })
 * await writeFile('server.json', JSON.stringify(document, undefined, 2))
 *
 * @throws TypeError if it would not be valid.
 */
export function createServerJson(
  { info }: { readonly info: Implementation },
  { publicUrl, card = {}, packages }: ServerJsonOptions = {},
): ServerJson {
  const url = publicUrl === undefined ? undefined : parsePublicUrl(publicUrl)
  const options = typeof card === 'object' ? card : {}
  const document = serverJsonOf(createServerCard({ info, url, versions: [] }, options), packages)
  const problems = validateServerJson(document)
  if (problems.length > 0) throw new TypeError(`server.json is not valid: ${describeProblems(problems)}`)
  return document
}

/** Returns what `server.json` says of the server that a card describes. */
export function serverJsonOf(card: ServerCard, packages?: readonly RegistryPackage[]): ServerJson {
  const { $schema, remotes, _meta, ...common } = card
  return {
    $schema: SERVER_JSON_SCHEMA,
    ...common,
    ...withoutUndefined({ remotes: remotes?.map(({ supportedProtocolVersions, ...remote }) => remote) }),
    ...(packages && { packages: [...packages] }),
    ...(_meta && { _meta: { [PUBLISHER_META]: _meta } }),
  }
}

const MAX_META_BYTES = 4096
const MAX_ICON_LENGTH = 255
/** Packages that are identified with their version. */
const UNVERSIONED: readonly unknown[] = ['oci', 'mcpb']
const PACKAGE: MemberRules = {
  registryType: requiredMember(TEXT),
  registryBaseUrl: URI,
  identifier: requiredMember(TEXT),
  version: {
    text: 'one version, not latest',
    accepts: (value) => typeof value === 'string' && value !== '' && value !== 'latest',
  },
  fileSha256: { text: 'the SHA-256 of the file in hexadecimal', accepts: (value) => matches(value, /^[a-f0-9]{64}$/) },
  transport: requiredMember(OBJECT),
  runtimeHint: TEXT,
  runtimeArguments: ARRAY,
  packageArguments: ARRAY,
  environmentVariables: ARRAY,
}
const REMOTE_URL: MemberRule = { text: 'a URL with http or https', accepts: (value) => matches(value, /^https?:\/\/\S+$/) }
const TRANSPORT: MemberRules = { type: requiredMember(oneOfTexts('stdio', 'streamable-http', 'sse')) }
const HTTP_TRANSPORT: MemberRules = { url: requiredMember(REMOTE_URL), headers: ARRAY }
const ARGUMENT: MemberRules = { type: requiredMember(oneOfTexts('positional', 'named')), isRepeated: FLAG }
const NAMED_ARGUMENT: MemberRules = { name: requiredMember(TEXT) }
const POSITIONAL_ARGUMENT: MemberRules = { valueHint: TEXT }
/** The registry takes fewer icons than clients do. */
const ICON: MemberRules = {
  src: {
    text: `an https URL of at most ${MAX_ICON_LENGTH} characters`,
    accepts: (value) => matches(value, /^https:/i) && value.length <= MAX_ICON_LENGTH,
  },
  mimeType: oneOfTexts('image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'),
  sizes: {
    text: 'sizes such as 48x48 or any',
    accepts: (value) => Array.isArray(value) && value.every((size) => matches(size, /^(\d+x\d+|any)$/)),
  },
}

/**
 * Checks `server.json`: what its JSON schema requires, and the rules of the official registry. Returns the problems. Unknown members are accepted, unless
 * they look like a misspelled one.
 */
export function validateServerJson(document: unknown): DocumentProblem[] {
  const { problems, report } = createReporter()
  if (!isObject(document)) report('', 'must be a JSON object')
  else {
    const { $schema, version, icons, remotes, packages, _meta } = document
    const at = (path: string): Place => ({ path, report })
    checkSpelling(document, DOCUMENT_MEMBERS, at(''))
    if ($schema !== undefined && $schema !== SERVER_JSON_SCHEMA) report('$schema', `must be ${SERVER_JSON_SCHEMA}`)
    checkDescription(document, report)
    if (version === 'latest') report('version', 'must be one version, not latest')
    checkCardItems(icons, at('icons'), (icon, place) => checkMembers(icon, ICON, place))
    checkCardItems(remotes, at('remotes'), (remote, place) => checkMembers(remote, { url: REMOTE_URL }, place))
    checkMembers(document, { packages: ARRAY }, at(''))
    checkCardItems(packages, at('packages'), checkPackage)
    if (isObject(_meta)) checkMeta(_meta, report)
  }
  return problems
}

const DOCUMENT_MEMBERS = [
  ...['$schema', 'name', 'title', 'description', 'version', 'websiteUrl', 'repository'],
  ...['icons', 'packages', 'remotes', '_meta'],
]

/** Reports the members that are similar to an absent one. */
function checkSpelling(object: JsonObject, names: readonly string[], { path, report }: Place): void {
  const absent = names.filter((name) => object[name] === undefined)
  for (const name of Object.keys(object)) {
    const closest = names.includes(name) ? undefined : closestName(name, absent)
    if (closest !== undefined) report(path === '' ? name : `${path}.${name}`, `is no member: did you mean ${closest}?`)
  }
}

function checkPackage(entry: JsonObject, place: Place): void {
  const { path, report } = place
  checkSpelling(entry, Object.keys(PACKAGE), place)
  checkMembers(entry, PACKAGE, place)
  if (isObject(entry.transport)) checkTransport(entry.transport, within(place, '.transport'))
  for (const name of ['runtimeArguments', 'packageArguments'])
    checkCardItems(entry[name], within(place, `.${name}`), checkArgument)
  checkNamedInputs(entry.environmentVariables, within(place, '.environmentVariables'))
  const isUnversioned = UNVERSIONED.includes(entry.registryType)
  if (isUnversioned && entry.version !== undefined) report(`${path}.version`, 'must be a part of the identifier')
  if (!isUnversioned && entry.version === undefined) report(`${path}.version`, 'is missing')
  checkExactVersion(entry.version, within(place, '.version'))
  if (entry.registryType === 'mcpb' && entry.fileSha256 === undefined) report(`${path}.fileSha256`, 'is missing')
}

function checkTransport(transport: JsonObject, place: Place): void {
  checkMembers(transport, TRANSPORT, place)
  if (transport.type !== 'streamable-http' && transport.type !== 'sse') return
  checkMembers(transport, HTTP_TRANSPORT, place)
  checkNamedInputs(transport.headers, within(place, '.headers'))
}

function checkArgument(argument: JsonObject, place: Place): void {
  const { type, value, valueHint } = argument
  checkMembers(argument, ARGUMENT, place)
  checkMembers(argument, type === 'named' ? NAMED_ARGUMENT : POSITIONAL_ARGUMENT, place)
  if (type === 'positional' && value === undefined && valueHint === undefined)
    place.report(place.path, 'needs a value or a valueHint')
  checkInput(argument, place)
}

function checkMeta(meta: JsonObject, report: Report): void {
  checkMembers(meta, { [PUBLISHER_META]: OBJECT }, { path: '_meta', report })
  for (const key of Object.keys(meta))
    if (key !== PUBLISHER_META) report(`_meta.${key}`, `is not published: use ${PUBLISHER_META}`)
  if (new TextEncoder().encode(JSON.stringify(meta[PUBLISHER_META] ?? {})).length > MAX_META_BYTES)
    report(`_meta.${PUBLISHER_META}`, `must have at most ${MAX_META_BYTES} bytes`)
}

/** Returns what is wrong with a `server.json`, and where it differs from a card of the same server. */
export function compareServerJson(document: unknown, card: ServerCard): DocumentProblem[] {
  const problems = validateServerJson(document)
  if (!isObject(document)) return problems
  const { $schema, _meta, ...expected } = serverJsonOf(card)
  const differing = Object.entries(expected).filter(([name, value]) => !isJsonEqual(document[name], value))
  return [
    ...problems,
    ...differing.map(([path, value]) => ({ path, message: `differs from the card, which has ${JSON.stringify(value)}` })),
  ]
}
