import { equivalentUris, foldUri } from '../../../../util/src/equivalent-uris.ts'
import type { Exchange } from '../../jsonrpc/exchange.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { createNormalMatcher } from '../../schema/uri-template/normal-template.ts'
import { parseTemplate } from '../../schema/uri-template/template.ts'
import { KINDS, type KindInfo, type ListedKind } from '../kinds.ts'
import { listPages } from '../list-pages.ts'
import { createNameCheck, isWholeList, type NameCheck } from '../names-in-use.ts'
import type { Transform, TransformCaller, TransformItem } from './transform.ts'

/** An item as the caller sees it, and its name on the server. */
export interface TransformedItem extends TransformItem {
  readonly originalName: string
}

/** The items of one kind before and after the transforms. */
export interface TransformedList {
  /** The names on the server. */
  readonly originals: ReadonlySet<string>
  /** The items of the caller, by the names that the caller sees. */
  readonly items: ReadonlyMap<string, TransformedItem>
  /** The members of the last page besides its items. */
  readonly rest: JsonObject
}

/** Where lists come from, and the transforms that change them. */
export interface TransformSource {
  readonly transforms: readonly Transform[]
  /** The checks of the names that transforms refer to. */
  readonly checks: ReadonlyMap<Transform, NameCheck>
  readonly next: Exchange
}

/** Creates the checks of the names that transforms refer to. */
export function createChecks(transforms: readonly Transform[]): ReadonlyMap<Transform, NameCheck> {
  return new Map(transforms.flatMap((one) => (one.names?.length ? [[one, createNameCheck(one.names)] as const] : [])))
}

/** Fetches a list from the server and applies the transforms. @throws RpcError if the list fails. */
export async function listTransformed(
  kind: ListedKind,
  caller: TransformCaller,
  sources: TransformSource,
): Promise<TransformedList> {
  const { transforms, checks, next } = sources
  const info = KINDS[kind]
  const { found, rest } = await fetchItems(info, caller, next)
  const source = found.map((definition): TransformItem => ({ kind, name: String(definition[info.id]), definition }))
  const tracked = source.map((item) => ({ ...item, [ORIGINAL]: item.name }))
  const isWhole = isWholeList(rest, caller.context)
  let result: readonly TransformItem[] = tracked
  for (const [at, one] of transforms.entries()) {
    const namesOfOther = async (other: ListedKind): Promise<string[]> => {
      const earlier = { transforms: transforms.slice(0, at), checks: NO_CHECKS, next }
      return [...(await listTransformed(other, caller, earlier)).items.keys()]
    }
    if (isWhole)
      await checks.get(one)?.check(
        kind,
        result.map(({ name }) => name),
        namesOfOther,
      )
    result = one.list(result, caller)
  }
  const items = new Map<string, TransformedItem>()
  for (const item of result) {
    const originalName = originalNameOf(item)
    if (originalName === undefined || items.has(item.name)) continue
    items.set(item.name, { ...item, originalName, definition: { ...item.definition, [info.id]: item.name } })
  }
  return { originals: new Set(source.map(({ name }) => name)), items, rest }
}

const NO_CHECKS: ReadonlyMap<Transform, NameCheck> = new Map()

/** The member that keeps the name on the server, whatever transforms do. They copy items with `{ ...item }`. */
const ORIGINAL: unique symbol = Symbol('original name')

function originalNameOf(item: TransformItem & { readonly [ORIGINAL]?: string }): string | undefined {
  return item[ORIGINAL]
}

async function fetchItems(
  { method, key }: KindInfo,
  { request, context }: TransformCaller,
  next: Exchange,
): Promise<{ found: JsonObject[]; rest: JsonObject }> {
  // A list that the caller did not ask for may be unknown to the server.
  const pages = listPages({ method, key, isDeclared: () => request.method !== method }, { request, context, next })
  const found: JsonObject[] = []
  let rest: JsonObject = {}
  for await (const { [key]: items, nextCursor: _next, ...others } of pages) {
    if (Array.isArray(items)) found.push(...items.filter(isObject))
    rest = others
  }
  return { found, rest }
}

/** Where a request for an item goes: to the item, to the server as it is, or nowhere. */
export type TransformLookup = TransformedItem | 'unchanged' | 'hidden'

/** Looks an item up by the name that the caller sees. */
export function lookUp(
  { originals, items }: TransformedList,
  name: string,
  isAllowed: (name: string) => boolean,
): TransformLookup {
  const item = items.get(name)
  if (item) return item
  return originals.has(name) || !isAllowed(name) ? 'hidden' : 'unchanged'
}

/** Looks a resource up, which may be listed, match a template, or be known to the server only. */
export function lookUpResource(
  uri: string,
  {
    resources,
    templates,
    isAllowed,
  }: { resources: TransformedList; templates: TransformedList; isAllowed: (uri: string) => boolean },
): 'unchanged' | 'hidden' {
  if (resources.items.has(uri)) return 'unchanged'
  const hidden = hiddenForms(resources)
  if (foldUri(uri).some((form) => hidden.has(form))) return 'hidden'
  if (!equivalentUris(uri).every(isAllowed)) return 'hidden'
  const matching = [...templates.originals].filter((template) => matchesTemplate(template, uri))
  return matching.length === 0 || matching.some((template) => templates.items.has(template)) ? 'unchanged' : 'hidden'
}

/** Returns the forms of the resources that are hidden, as `foldUri` returns them. */
function hiddenForms({ originals, items }: TransformedList): ReadonlySet<string> {
  const hidden = [...originals].filter((uri) => !items.has(uri))
  return new Set(hidden.map((uri) => foldUri(uri)[0] ?? uri))
}

function matchesTemplate(template: string, uri: string): boolean {
  try {
    return parseTemplate(template).match(uri) !== undefined || createNormalMatcher(template)(uri) !== undefined
  } catch {
    return false
  }
}
