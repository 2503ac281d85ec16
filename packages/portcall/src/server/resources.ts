import { isObject } from '../jsonrpc/message.ts'
import { invalidParams, resourceNotFound } from '../protocol/errors.ts'
import type { CacheHint, ReadResourceResult, Resource, ResourceContents, ResourceTemplate } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, Schema } from '../schema/standard.ts'
import { parseTemplate, type UriTemplate } from '../schema/uri-template.ts'
import { isStream, readStream, toBase64 } from './bytes.ts'
import type { CallContext } from './call.ts'
import type { ReadHandler, ResourceDefinition, ResourceReturn, TemplateDefinition } from './define.ts'
import { isVisible, type Listed } from './lists.ts'
import { OutputError } from './output.ts'
import type { Registry } from './registry.ts'
import { checkPriority } from './sampling.ts'
import { demandScopes, lacksScopes } from './scopes.ts'
import { present } from './tools.ts'

export type AnyTemplateDefinition = TemplateDefinition<Schema | undefined>
export type AnyReadHandler = ReadHandler<never>

export interface ResourceEntry extends Listed<ResourceDefinition> {
  readonly wire: Resource
  readonly handler: AnyReadHandler
}

export interface TemplateEntry extends Listed<AnyTemplateDefinition> {
  readonly wire: ResourceTemplate
  readonly handler: AnyReadHandler
  readonly template: UriTemplate
  readonly variables: CompiledSchema | undefined
}

export type ResourceRegistry = Registry<ResourceDefinition, ResourceEntry>
export type TemplateRegistry = Registry<AnyTemplateDefinition, TemplateEntry>

/** Makes a resource with a fixed URI. */
export function createResource(uri: string, definition: ResourceDefinition, handler: AnyReadHandler): ResourceEntry {
  if (!URL.canParse(uri)) throw new Error(`${JSON.stringify(uri)} is not a URI`)
  const { name = uri, title, description, mimeType, size, annotations, icons, _meta } = definition
  checkPriority('annotations.priority', annotations?.priority)
  const wire = { uri, name, ...present({ title, description, mimeType, size, annotations, icons, _meta }) }
  return { definition, handler, wire, enabled: true, order: 0 }
}

/** Makes a family of resources behind a URI template (RFC 6570). */
export function createTemplate(uriTemplate: string, definition: AnyTemplateDefinition, handler: AnyReadHandler): TemplateEntry {
  const { name = uriTemplate, title, description, mimeType, annotations, icons, _meta } = definition
  checkPriority('annotations.priority', annotations?.priority)
  const wire = { uriTemplate, name, ...present({ title, description, mimeType, annotations, icons, _meta }) }
  const variables = definition.variables && compileSchema(definition.variables, 'input')
  return { definition, handler, wire, template: parseTemplate(uriTemplate), variables, enabled: true, order: 0 }
}

export interface Resources {
  readonly resources: ResourceRegistry
  readonly templates: TemplateRegistry
}

/** A resource that was asked for, with the variables that its URI holds. */
interface Found {
  entry: ResourceEntry | TemplateEntry
  variables: unknown
}

/** Finds what is behind a URI, if the caller may see it. */
export async function findResource(
  { resources, templates }: Resources,
  uri: string,
  call: CallContext,
): Promise<Found | undefined> {
  const fixed = resources.get(uri)
  if (fixed) return (await isVisible(fixed, call)) ? { entry: fixed, variables: {} } : undefined
  for (const entry of templates.offered()) {
    const matched = entry.template.match(uri)
    if (!matched || !(await isVisible(entry, call))) continue
    const parsed = entry.variables ? await entry.variables.parse(matched) : { value: matched }
    if (!parsed.issues) return { entry, variables: parsed.value }
  }
  return undefined
}

/** Tells which of some URIs a caller may hear of. @throws RpcError when scopes are lacking for any of them. */
export function createPermit(resources: Resources): (uris: readonly string[], call: CallContext) => Promise<readonly string[]> {
  return async (uris, call) => {
    const found = await Promise.all(uris.map((uri) => findResource(resources, uri, call)))
    demandScopes(
      found.flatMap((one) => one?.entry ?? []),
      call,
    )
    return uris.filter((_, index) => found[index])
  }
}

export interface ReadOptions extends Resources {
  readonly maxResourceBytes: number
  readonly hint: () => CacheHint
}

/** Makes the handler of `resources/read`. */
export function createRead(options: ReadOptions): (call: CallContext) => Promise<ReadResourceResult> {
  return async (call) => {
    const { uri } = call.request.params ?? {}
    if (typeof uri !== 'string') throw invalidParams('uri has to be a string')
    const found = await findResource(options, uri, call)
    if (!found) throw resourceNotFound(uri)
    const { entry, variables } = found
    demandScopes([entry], call)
    const { mimeType, cache, maxBytes = options.maxResourceBytes } = entry.definition
    const value = await entry.handler(variables as never, call, uri)
    if (call.waits) return NOT_YET
    if (value === undefined || value === null) throw resourceNotFound(uri)
    const result = await readResult(value, { uri, mimeType, maxBytes })
    return { ...options.hint(), ...cache, ...result }
  }
}

/** Stands for the result of a handler that caught its own suspension: nobody sees it. */
const NOT_YET: ReadResourceResult = { contents: [] }

interface Where {
  uri: string
  mimeType: string | undefined
  maxBytes: number
}

async function readResult(value: NonNullable<ResourceReturn>, where: Where): Promise<ReadResourceResult> {
  if (Array.isArray(value)) return { contents: value }
  if (typeof value === 'object' && 'contents' in value) return value
  return { contents: [await contents(value, where)] }
}

async function contents(value: unknown, where: Where): Promise<ResourceContents> {
  const { uri, mimeType, maxBytes } = where
  const common = mimeType === undefined ? { uri } : { uri, mimeType }
  if (typeof value === 'string') return { ...common, text: value }
  if (value instanceof Uint8Array) return { ...common, blob: toBase64(value) }
  if (isStream(value)) return ofBytes(await readStream(value, maxBytes), common)
  if (isObject(value) && value.blob instanceof Uint8Array)
    return { ...common, ...value, blob: toBase64(value.blob) } as ResourceContents
  if (isObject(value) && (typeof value.text === 'string' || typeof value.blob === 'string'))
    return { ...common, ...value } as unknown as ResourceContents
  throw new OutputError('A resource is read as text, bytes, a stream, contents or a result with `contents`')
}

function ofBytes(bytes: Uint8Array, common: { uri: string; mimeType?: string }): ResourceContents {
  return isText(common.mimeType) ? { ...common, text: new TextDecoder().decode(bytes) } : { ...common, blob: toBase64(bytes) }
}

function isText(mimeType: string | undefined): boolean {
  return mimeType !== undefined && /^text\/|^application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml))\b/.test(mimeType)
}

/** All resources that a caller may see: the fixed ones, then what each template lists whose scopes the caller has. */
export async function listResources(
  fixed: readonly Resource[],
  templates: readonly TemplateEntry[],
  call: CallContext,
): Promise<readonly Resource[]> {
  const listing = templates.filter((entry) => entry.definition.list && !lacksScopes(entry, call))
  if (listing.length === 0) return fixed
  const listed = await Promise.all(
    listing.map(async (entry) => ((await isVisible(entry, call)) ? ((await entry.definition.list?.(call)) ?? []) : [])),
  )
  return [...fixed, ...listed.flat()]
}
