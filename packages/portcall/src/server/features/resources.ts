import { createUriLookup } from '../../../../util/src/normal-uri.ts'
import { oncePer } from '../../../../util/src/once-per.ts'
import { isUrl } from '../../../../util/src/parse-url.ts'
import { invalidParams, resourceNotFound } from '../../protocol/errors.ts'
import type { CacheHint, ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/types.ts'
import type { CompiledSchema, Schema } from '../../schema/standard.ts'
import { createNormalMatcher } from '../../schema/uri-template/normal-template.ts'
import { parseTemplate, type UriTemplate } from '../../schema/uri-template/template.ts'
import type { CallContext } from '../call.ts'
import type { ReadHandler, ResourceDefinition, TemplateDefinition } from '../definitions.ts'
import { checkPriority } from '../input-requests/sampling.ts'
import { isVisible, lacksScopes, requireScopes } from './access.ts'
import { checkCompleters } from './check-completers.ts'
import { compileMember } from './compile-member.ts'
import { createEntry, type Registry, type RegistryEntry } from './registry.ts'
import { resourceResult } from './resource-result.ts'

export type AnyTemplateDefinition = TemplateDefinition<Schema | undefined>
export type AnyReadHandler = ReadHandler<never>

export interface ResourceEntry extends RegistryEntry<ResourceDefinition, Resource> {
  readonly handler: AnyReadHandler
}

export interface TemplateEntry extends RegistryEntry<AnyTemplateDefinition, ResourceTemplate> {
  readonly handler: AnyReadHandler
  readonly template: UriTemplate
  readonly variables: CompiledSchema | undefined
}

export type ResourceRegistry = Registry<ResourceDefinition, ResourceEntry>
export type TemplateRegistry = Registry<AnyTemplateDefinition, TemplateEntry>

/** Creates the entry of a resource with a fixed URI. @throws Error when the URI is invalid. */
export function createResource(uri: string, definition: ResourceDefinition, handler: AnyReadHandler): ResourceEntry {
  if (!isUrl(uri)) throw new Error(`${JSON.stringify(uri)} is not a valid URI, such as notes://all`)
  const { name = uri, title, description, mimeType, size, annotations, icons, _meta } = definition
  checkPriority('annotations.priority', annotations?.priority)
  const listing = { uri, name, title, description, mimeType, size, annotations, icons, _meta }
  return { ...createEntry<ResourceDefinition, Resource>(definition, listing as Resource), handler }
}

/** Creates the entry of a URI template (RFC 6570). @throws SchemaError when the schema of the variables is invalid. */
export function createTemplate(uriTemplate: string, definition: AnyTemplateDefinition, handler: AnyReadHandler): TemplateEntry {
  const { name = uriTemplate, title, description, mimeType, annotations, icons, _meta } = definition
  checkPriority('annotations.priority', annotations?.priority)
  const listing = { uriTemplate, name, title, description, mimeType, annotations, icons, _meta }
  const entry = createEntry<AnyTemplateDefinition, ResourceTemplate>(definition, listing as ResourceTemplate)
  const variables = compileMember(`variables of ${JSON.stringify(uriTemplate)}`, definition.variables)
  const template = parseTemplate(uriTemplate)
  checkCompleters(`server.resource(${JSON.stringify(uriTemplate)})`, definition.complete, template.variables)
  return { ...entry, handler, template, variables }
}

export interface ResourceRegistries {
  readonly resources: ResourceRegistry
  readonly templates: TemplateRegistry
}

/** A resource or template that matches a URI, and the template's variables. */
interface ResourceMatch {
  entry: ResourceEntry | TemplateEntry
  variables: unknown
}

/** Characters that match no template. The normal form would encode them, although no client means that. */
const CONTROL_CHARACTER = /[\x00-\x1f\x7f]/

/** Finds the resource or template that a URI belongs to, if the caller may see it. */
async function findResource(
  { resources, templates }: ResourceRegistries,
  uri: string,
  call: CallContext,
): Promise<ResourceMatch | undefined> {
  const resource = resources.get(uri) ?? findInOtherSpelling(resources.entries(), uri)
  if (resource) return (await isVisible(resource, call)) ? { entry: resource, variables: {} } : undefined
  if (CONTROL_CHARACTER.test(uri)) return undefined
  const entries = templates.entries()
  return (
    (await matchTemplates(entries, ({ template }) => template.match(uri), call)) ??
    (await matchTemplates(entries, (entry) => normalMatcherOf(entry)(uri), call))
  )
}

const findInOtherSpelling = createUriLookup((entries: readonly ResourceEntry[]) =>
  entries.map((entry) => [entry.listing.uri, entry] as const),
)

/** Returns the function that matches URIs in normal form, as clients send them that parse URIs. */
export const normalMatcherOf: (entry: TemplateEntry) => UriTemplate['match'] = oncePer(({ template }) =>
  createNormalMatcher(template.template),
)

async function matchTemplates(
  entries: readonly TemplateEntry[],
  match: (entry: TemplateEntry) => unknown,
  call: CallContext,
): Promise<ResourceMatch | undefined> {
  for (const entry of entries) {
    const matched = match(entry)
    if (!matched || !(await isVisible(entry, call))) continue
    const parsed = entry.variables ? await entry.variables.parse(matched) : { value: matched }
    if (!parsed.issues) return { entry, variables: parsed.value }
  }
  return undefined
}

/** Returns the URIs that a caller may subscribe to. @throws RpcError -32600 when scopes of any of them are missing. */
export async function subscribableUris(
  registries: ResourceRegistries,
  uris: readonly string[],
  call: CallContext,
): Promise<readonly string[]> {
  const matches = await Promise.all(uris.map((uri) => findResource(registries, uri, call)))
  const entries = matches.flatMap((match) => match?.entry ?? [])
  requireScopes(entries, call)
  return uris.filter((_, index) => matches[index])
}

export interface ReadResourceOptions extends ResourceRegistries {
  readonly maxResourceBytes: number
  readonly cacheHint: () => Required<CacheHint>
}

/** Creates the handler of `resources/read`. */
export function createReadResource(options: ReadResourceOptions): (call: CallContext) => Promise<ReadResourceResult> {
  return async (call) => {
    const { uri } = call.request.params ?? {}
    if (typeof uri !== 'string') throw invalidParams('uri must be a string')
    const match = await findResource(options, uri, call)
    if (!match) throw resourceNotFound(uri)
    const { entry, variables } = match
    requireScopes([entry], call)
    const { mimeType, cache, maxBytes = options.maxResourceBytes } = entry.definition
    const value = await entry.handler(variables as never, call, 'uri' in entry.listing ? entry.listing.uri : uri)
    if (call.isSuspended) return SUSPENDED
    if (value === undefined || value === null) throw resourceNotFound(uri)
    const result = await resourceResult(value, { uri, mimeType, maxBytes })
    const { ttlMs, cacheScope } = { ...options.cacheHint(), ...cache }
    return { ttlMs, cacheScope, ...result }
  }
}

/** The result of a handler that caught its own suspension. It is not sent. */
const SUSPENDED: ReadResourceResult = { contents: [] }

/** Returns the fixed resources, followed by the resources that templates list. Templates whose scopes the caller lacks are skipped. */
export async function listResources(
  fixed: readonly Resource[],
  templates: readonly TemplateEntry[],
  call: CallContext,
): Promise<readonly Resource[]> {
  const listable = templates.filter((entry) => entry.definition.list && !lacksScopes(entry, call))
  if (listable.length === 0) return fixed
  const listed = await Promise.all(
    listable.map(async (entry) => ((await isVisible(entry, call)) ? ((await entry.definition.list?.(call)) ?? []) : [])),
  )
  return [...fixed, ...listed.flat()]
}
