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
  checkMembers,
  type MemberRules,
  OBJECT,
  oneOfTexts,
  type Place,
  requiredMember,
  TEXT,
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
/** Packages that are identified with their version. */
const UNVERSIONED: readonly unknown[] = ['oci', 'mcpb']
const PACKAGE: MemberRules = {
  registryType: requiredMember(TEXT),
  identifier: requiredMember(TEXT),
  version: TEXT,
  transport: requiredMember(OBJECT),
  runtimeArguments: ARRAY,
  packageArguments: ARRAY,
  environmentVariables: ARRAY,
}
const TRANSPORT: MemberRules = { type: requiredMember(oneOfTexts('stdio', 'streamable-http', 'sse')), url: TEXT }

/** Checks `server.json`: what its JSON schema requires, and the rules of the official registry. Returns the problems. Unknown members are accepted. */
export function validateServerJson(document: unknown): DocumentProblem[] {
  const { problems, report } = createReporter()
  if (!isObject(document)) report('', 'must be a JSON object')
  else {
    const { $schema, version, packages, _meta } = document
    if ($schema !== undefined && $schema !== SERVER_JSON_SCHEMA) report('$schema', `must be ${SERVER_JSON_SCHEMA}`)
    checkDescription(document, report)
    if (version === 'latest') report('version', 'must be one version, not latest')
    if (packages !== undefined && !ARRAY.accepts(packages)) report('packages', `must be ${ARRAY.text}`)
    checkCardItems(packages, { path: 'packages', report }, checkPackage)
    if (isObject(_meta)) checkMeta(_meta, report)
  }
  return problems
}

function checkPackage(entry: JsonObject, place: Place): void {
  const { path, report } = place
  checkMembers(entry, PACKAGE, place)
  if (isObject(entry.transport)) checkMembers(entry.transport, TRANSPORT, { path: `${path}.transport`, report })
  const isUnversioned = UNVERSIONED.includes(entry.registryType)
  if (isUnversioned && entry.version !== undefined) report(`${path}.version`, 'must be a part of the identifier')
  if (!isUnversioned && entry.version === undefined) report(`${path}.version`, 'is missing')
  checkExactVersion(entry.version, { path: `${path}.version`, report })
  if (entry.version === 'latest') report(`${path}.version`, 'must be one version, not latest')
  if (entry.registryType === 'mcpb' && !/^[a-f0-9]{64}$/.test(String(entry.fileSha256)))
    report(`${path}.fileSha256`, 'must be the SHA-256 of the file in hexadecimal')
}

function checkMeta(meta: JsonObject, report: Report): void {
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
