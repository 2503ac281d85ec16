import { checkOptions, type OptionNames } from '../../../../util/src/check-options.ts'
import { describe } from '../../../../util/src/describe.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import {
  CSP_LISTS,
  OPENAI_CSP_LISTS,
  OPENAI_REDIRECT_LIST,
  OpenaiViewKey,
  VIEW_PERMISSIONS,
  ViewKey,
  type ViewPermissions,
} from '../../protocol/apps.ts'
import { cspSourceHint, isCspSource } from '../../protocol/csp-source.ts'
import type { GatewayPolicy } from './types.ts'

/** The limits of views. A list that is absent does not change views; an empty one allows nothing. */
export interface NarrowViewsOptions {
  /** Names of servers whose views are narrowed. Default: all. */
  readonly servers?: readonly string[]
  /** Origins of requests. `https://*.example.com` stands for all hosts below `example.com`. */
  readonly connectDomains?: readonly string[]
  /** Origins of scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[]
  /** Origins of nested frames. */
  readonly frameDomains?: readonly string[]
  /** Origins that the `base` element may name. */
  readonly baseUriDomains?: readonly string[]
  /** Origins that views in ChatGPT may open links to without a question. */
  readonly redirectDomains?: readonly string[]
  /** Browser features. */
  readonly permissions?: readonly (keyof ViewPermissions)[]
}

const NAMES: OptionNames<NarrowViewsOptions> = {
  servers: 'texts',
  connectDomains: 'texts',
  resourceDomains: 'texts',
  frameDomains: 'texts',
  baseUriDomains: 'texts',
  redirectDomains: 'texts',
  permissions: 'texts',
}

/** The lists of origins in the options of `narrowViews`. */
export const NARROWED_LISTS: readonly [...typeof CSP_LISTS, 'redirectDomains'] = [...CSP_LISTS, 'redirectDomains']

/**
 * Creates a policy that removes origins and browser features from what views declare. Hosts allow views only what they declare. Nothing is ever added.
 *
 * @throws TypeError if an option is invalid.
 * @example
 * createGateway({ servers, policy: narrowViews({ connectDomains: ['https://*.example.com'], frameDomains: [], permissions: [] }) })
 */
export function narrowViews(options: NarrowViewsOptions): GatewayPolicy {
  checkOptions('narrowViews()', options, { names: NAMES })
  for (const list of NARROWED_LISTS)
    for (const origin of options[list] ?? [])
      if (!isCspSource(origin))
        throw new TypeError(`narrowViews(): ${list} contains ${describe(origin)}, which is no origin. ${cspSourceHint(origin)}`)
  for (const name of options.permissions ?? [])
    if (!VIEW_PERMISSIONS.includes(name))
      throw new TypeError(
        `narrowViews(): permissions contains ${describe(name)}, which is not one of ${VIEW_PERMISSIONS.join(', ')}`,
      )
  const applies = (server: string): boolean => options.servers?.includes(server) ?? true
  return {
    ...(options.servers && { servers: options.servers }),
    describe: ({ server, definition }) => (applies(server) ? narrowItem(definition, options) : definition),
    result: (result, { server }) => (applies(server) ? narrowResult(result, options) : result),
  }
}

/** Narrows each part of a result that may have the metadata of a view: contents of resources, and resources in content and messages. */
function narrowResult(result: JsonObject, options: NarrowViewsOptions): JsonObject {
  const narrowAll = (items: unknown, narrow: (item: JsonObject) => JsonObject): unknown =>
    Array.isArray(items) ? items.map((item: unknown) => (isObject(item) ? narrow(item) : item)) : items
  const narrowBlock = (block: JsonObject): JsonObject => {
    const { resource } = block
    return narrowItem(isObject(resource) ? { ...block, resource: narrowItem(resource, options) } : block, options)
  }
  const narrowMessage = (message: JsonObject): JsonObject =>
    isObject(message.content) ? { ...message, content: narrowBlock(message.content) } : message
  const { contents, content, messages } = result
  return {
    ...narrowItem(result, options),
    ...(contents !== undefined && { contents: narrowAll(contents, (item) => narrowItem(item, options)) }),
    ...(content !== undefined && { content: narrowAll(content, narrowBlock) }),
    ...(messages !== undefined && { messages: narrowAll(messages, narrowMessage) }),
  }
}

function narrowItem(item: JsonObject, options: NarrowViewsOptions): JsonObject {
  const meta = item._meta
  if (!isObject(meta)) return item
  const { [ViewKey.nested]: ui, [OpenaiViewKey.csp]: openai } = meta
  if (!isObject(ui) && !isObject(openai)) return item
  return {
    ...item,
    _meta: {
      ...meta,
      ...(isObject(ui) && { [ViewKey.nested]: narrowUi(ui, options) }),
      ...(isObject(openai) && { [OpenaiViewKey.csp]: narrowCsp(openai, options, OPENAI_LISTS) }),
    },
  }
}

function narrowUi(ui: JsonObject, options: NarrowViewsOptions): JsonObject {
  const { csp, permissions } = ui
  const allowed: readonly string[] | undefined = options.permissions
  return {
    ...ui,
    ...(isObject(csp) && { csp: narrowCsp(csp, options, OWN_LISTS) }),
    ...(isObject(permissions) &&
      allowed && { permissions: Object.fromEntries(Object.entries(permissions).filter(([name]) => allowed.includes(name))) }),
  }
}

const OWN_LISTS = Object.fromEntries(CSP_LISTS.map((list) => [list, list]))
const OPENAI_LISTS = { ...OPENAI_CSP_LISTS, redirectDomains: OPENAI_REDIRECT_LIST }

function narrowCsp(csp: JsonObject, options: NarrowViewsOptions, names: { readonly [list: string]: string }): JsonObject {
  const narrowed = NARROWED_LISTS.flatMap((list) => {
    const [name, allowed] = [names[list], options[list]]
    const declared = name === undefined ? undefined : csp[name]
    if (name === undefined || !allowed || declared === undefined) return []
    const kept = Array.isArray(declared)
      ? declared.filter((origin) => isCspSource(origin) && allowed.some((one) => covers(one, origin)))
      : []
    return [[name, kept] as const]
  })
  return { ...csp, ...Object.fromEntries(narrowed) }
}

/** Reports whether an origin is the allowed one, or below it. */
function covers(allowed: string, origin: string): boolean {
  const [one, other] = [allowed.toLowerCase(), origin.toLowerCase()]
  if (one === other) return true
  const [, scheme, rest] = /^([a-z]+:\/\/)\*(\..+)$/.exec(one) ?? []
  return scheme !== undefined && rest !== undefined && other.startsWith(scheme) && other.endsWith(rest)
}
