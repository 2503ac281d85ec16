/** Refuses names in options that refer to nothing in the description: what they should restrict would stay as it is. */

import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { closestName } from '../../../util/src/closest-name.ts'
import { describe } from '../../../util/src/describe.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import type { ApiDocument } from './document/document.ts'
import { objectOrEmpty } from './document/json.ts'
import type { DescribedOperation } from './document/operations.ts'
import { OpenApiError } from './errors.ts'
import type { OpenApiOptions, OpenApiRoute, OperationOverrides } from './options.ts'
import { ownOrigins } from './requests/base-url.ts'
import { describedSchemes, requirementsOf } from './requests/credentials.ts'
import type { RequestPlan } from './requests/plan.ts'
import { matchesRoute } from './routes.ts'

const TARGETS: readonly string[] = ['tool', 'resource', 'exclude']
const ROUTE: OptionNames<OpenApiRoute> = { methods: 'texts', path: 1, tags: 'texts', operationIds: 'texts', to: TARGETS }
const OVERRIDES: OptionNames<OperationOverrides> = {
  name: 'text',
  title: 'text',
  description: 'text',
  annotations: 'object',
  scopes: 1,
  visible: 'function',
  timeoutMs: 1,
  to: TARGETS,
  fixed: 'object',
  hide: 'texts',
  select: 1,
  mediaType: 'text',
}

/** A description whose names options refer to. */
interface DescribedNames {
  readonly document: ApiDocument
  readonly operations: readonly DescribedOperation[]
  /** Where it was loaded from. */
  readonly url: URL | undefined
}

/** Checks the names in the options of `fromOpenAPI` against a description. @throws OpenApiError, or TypeError for a member that does not exist. */
export function checkNames(options: OpenApiOptions, { document, operations, url }: DescribedNames): void {
  for (const [index, route] of (options.routes ?? []).entries()) checkRoute(`routes[${index}]`, route, operations)
  checkAll('security scheme', { where: 'auth', names: Object.keys(options.auth ?? {}), known: schemeNames(document, operations) })
  const variables = [document.root.servers, ...operations.map(({ servers }) => servers)].flatMap((servers) =>
    Array.isArray(servers) ? servers.flatMap((server) => Object.keys(objectOrEmpty(objectOrEmpty(server).variables))) : [],
  )
  checkAll('server variable', { where: 'serverVariables', names: Object.keys(options.serverVariables ?? {}), known: variables })
  for (const [where, origins] of Object.entries({
    credentialOrigins: options.credentialOrigins ?? [],
    baseUrls: Object.keys(options.baseUrls ?? {}),
  }))
    for (const origin of origins)
      if (parseUrl(origin)?.origin !== origin)
        throw new OpenApiError(`${where}: ${JSON.stringify(origin)} is not an origin such as https://api.example.com`)
  const known = ownOrigins(operations, { ...options, url, isFetched: false })
  checkAll('operation with the server', { where: 'baseUrls', names: Object.keys(options.baseUrls ?? {}), known })
}

function checkRoute(where: string, route: OpenApiRoute, operations: readonly DescribedOperation[]): void {
  checkOptions(`fromOpenAPI(): ${where}`, route, {
    names: ROUTE,
    advice: { method: 'Use "methods", a list', action: 'Use "to"' },
    required: { to: `Pass ${TARGETS.join(', ')}` },
  })
  if (!(route.path === undefined || typeof route.path === 'string' || route.path instanceof RegExp))
    throw new TypeError(`fromOpenAPI(): ${where}: path must be a text or a regular expression, not ${describe(route.path)}`)
  for (const method of route.methods ?? [])
    if (!/^[A-Za-z]+$/.test(method)) throw new TypeError(`fromOpenAPI(): ${where}: ${JSON.stringify(method)} is not a method`)
  checkAll('tag', { where, names: route.tags ?? [], known: operations.flatMap(({ tags }) => tags) })
  const ids = operations.flatMap(({ operationId }) => operationId ?? [])
  checkAll('operationId', { where, names: route.operationIds ?? [], known: ids })
  const isSpecific = route.path !== undefined || route.tags !== undefined || route.operationIds !== undefined
  if (!isSpecific || operations.some((operation) => matchesRoute(operation, route))) return
  throw new OpenApiError(
    `${where} matches no operation: check its path, for example with \`portcall openapi --list\`, or remove it`,
  )
}

function schemeNames(document: ApiDocument, operations: readonly DescribedOperation[]): string[] {
  const required = operations.flatMap((operation) => requirementsOf(operation, document) ?? []).flatMap(Object.keys)
  return [...new Set([...Object.keys(describedSchemes(document)), ...required])]
}

const MAX_SHOWN = 10

/** The names in an option, and those of the description. */
interface Names {
  readonly where: string
  readonly names: readonly string[]
  readonly known: readonly string[]
}

/** @throws OpenApiError when a name is none of the known ones. */
function checkAll(kind: string, { where, names, known }: Names): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const closest = closestName(name, known)
    const distinct = [...new Set(known)]
    const shown = distinct.length > MAX_SHOWN ? `${distinct.slice(0, MAX_SHOWN).join(', ')}, …` : distinct.join(', ')
    const hint = closest ? `did you mean ${JSON.stringify(closest)}?` : shown ? `it has ${shown}` : 'it has none'
    throw new OpenApiError(`${where}: the description has no ${kind} ${JSON.stringify(name)}; ${hint}`)
  }
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Checks that the overrides of `customize` refer to something. */
export interface OverrideNames {
  /** Checks the members of overrides, and remembers their names. @throws TypeError. */
  add(overrides: OperationOverrides, plan: RequestPlan): void
  /** @throws OpenApiError when an argument or a media type is named that no operation has for which it was named. */
  check(): void
}

/** Creates the check of overrides. One function may return the same names for all operations: one operation that has the argument is enough. */
export function createOverrideNames(): OverrideNames {
  const unused = new Map<string, Names & { readonly kind: string }>()
  const used = new Set<string>()
  const compare = (kind: string, { where, names, known }: Names): void => {
    for (const name of names)
      if (known.includes(name)) used.add(`${kind} ${name}`)
      else unused.set(`${kind} ${name}`, { kind, where, names: [name], known })
  }
  return {
    add(overrides, { operation, parameters, body }) {
      const where = `customize of ${operation.id}`
      checkOptions(where, overrides, { names: OVERRIDES, advice: { exclude: 'Return false', readOnly: 'Use "annotations"' } })
      const { select } = overrides
      if (select !== undefined && typeof select !== 'function' && !isTexts(select))
        throw new TypeError(`${where}: select must be an array of texts or a function, not ${describe(select)}`)
      const known = [...parameters, ...(body ? [body] : [])].map(({ argument }) => argument)
      compare('argument', { where, names: [...Object.keys(overrides.fixed ?? {}), ...(overrides.hide ?? [])], known })
      const { mediaType } = overrides
      if (mediaType !== undefined) compare('media type', { where, names: [mediaType], known: body?.described ?? [] })
    },
    check() {
      for (const [key, { kind, ...names }] of unused) if (!used.has(key)) checkAll(kind, names)
    },
  }
}
