/** The parts of MCP Apps that servers, hosts, gateways and agents share. https://github.com/modelcontextprotocol/ext-apps */
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { ClientCapabilities } from './types.ts'

/** The id of the extension. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'

/** An id under which some clients declare the extension. It is only read. */
export const APPS_EXTENSION_ALIAS = 'io.modelcontextprotocol/apps'

/** The version of the extension that views and hosts speak. */
// biome-ignore lint/plugin: the extension has versions of its own
export const APPS_VERSION = '2026-01-26'

/** The media type of views. */
export const VIEW_MIME_TYPE = 'text/html;profile=mcp-app'

/** The capabilities of a client that shows views. Some servers list views only for such clients. */
export const VIEW_CAPABILITIES: ClientCapabilities = { extensions: { [APPS_EXTENSION]: { mimeTypes: [VIEW_MIME_TYPE] } } }

/** The scheme of views. */
export const VIEW_SCHEME = 'ui://'

/** The `_meta` keys of views, newest first. Each has the URI of the view, `ui` in its member `resourceUri`. */
export const ViewKey = { nested: 'ui', flat: 'ui/resourceUri', openai: 'openai/outputTemplate' } as const

/**
 * The `_meta` key of requests with the URI of the view that sends them, as the host knows it. Gateways find the server by it, since views call tools by the
 * names that their server gave them.
 */
export const CALLING_VIEW_META = 'io.github.portcall/view'

/** Reports whether a URI is that of a view. */
export function isViewUri(uri: string): boolean {
  return uri.slice(0, VIEW_SCHEME.length).toLowerCase() === VIEW_SCHEME
}

/** The origins that a view may use: `https://api.example.com`, `wss://live.example.com`, or `https://*.example.com`. */
export interface ViewCsp {
  /** Origins of requests: `fetch`, `XMLHttpRequest`, WebSocket. */
  connectDomains?: readonly string[]
  /** Origins of scripts, styles, images, fonts and media. */
  resourceDomains?: readonly string[]
  /** Origins of nested frames. */
  frameDomains?: readonly string[]
  /** Origins that the `base` element may name. */
  baseUriDomains?: readonly string[]
}

/** The lists of a `ViewCsp`. */
export const CSP_LISTS = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'] as const

/** The browser features that a view asks for. Hosts may refuse them. */
export interface ViewPermissions {
  /** Use of the camera. */
  camera?: object
  /** Use of the microphone. */
  microphone?: object
  /** The position of the device. */
  geolocation?: object
  /** Writing to the clipboard. */
  clipboardWrite?: object
}

/** The keys with which ChatGPT described views before MCP Apps, and which hosts may still read. */
export const OpenaiViewKey = { csp: 'openai/widgetCSP', domain: 'openai/widgetDomain' } as const

/** The names of the lists of a `ViewCsp` under `OpenaiViewKey.csp`. */
export const OPENAI_CSP_LISTS = {
  connectDomains: 'connect_domains',
  resourceDomains: 'resource_domains',
  frameDomains: 'frame_domains',
} as const

/** The list of the origins that views in ChatGPT may open links to without a question. Only `OpenaiViewKey.csp` has it. */
export const OPENAI_REDIRECT_LIST = 'redirect_domains'

/** The members of `ViewPermissions`. */
export const VIEW_PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const

/** The member `_meta.ui` of a view: of the resource in lists, and of its contents. */
export interface ViewMeta {
  /** The origins that the view may use. Absent: none. */
  csp?: ViewCsp
  /** The browser features that the view asks for. */
  permissions?: ViewPermissions
  /** The origin on which the host shows the view. Each host has its own form. */
  domain?: string
  /** True if the host should draw a border around the view. Absent: the host decides. */
  prefersBorder?: boolean
}

/** Who may call a tool: the model, or the views of the same server. */
export type ToolAudience = 'model' | 'app'

/** The member `_meta.ui` of a tool. */
export interface ToolViewMeta {
  /** The URI of the view that shows the results of the tool. */
  resourceUri?: string
  /** Who may call the tool. Default: both. An empty list: nobody. */
  visibility?: readonly ToolAudience[]
}

/** The members of `ToolAudience`. */
export const TOOL_AUDIENCES: readonly ToolAudience[] = ['model', 'app']

/** An item with metadata: a tool, a resource, or its contents. */
interface WithMeta {
  readonly _meta?: unknown
}

function metaOf({ _meta }: WithMeta): JsonObject {
  return isObject(_meta) ? _meta : {}
}

/** Reads a tool's view and audience leniently: the nested key, the flat one, or those of OpenAI. Returns no `visibility` if none is stated. */
export function readToolView(tool: WithMeta): ToolViewMeta {
  const meta = metaOf(tool)
  const { [ViewKey.nested]: ui, [ViewKey.flat]: flat, [ViewKey.openai]: openai } = meta
  const nested = isObject(ui) ? ui : {}
  const resourceUri = [nested.resourceUri, flat, openai].find((uri): uri is string => typeof uri === 'string')
  const visibility = readAudiences(nested.visibility) ?? readOpenaiAudiences(meta)
  return { ...(resourceUri !== undefined && { resourceUri }), ...(visibility && { visibility }) }
}

/** Names that this version does not know are ignored, so that they give nobody access. */
function readAudiences(visibility: unknown): readonly ToolAudience[] | undefined {
  const stated = typeof visibility === 'string' ? [visibility] : visibility
  return Array.isArray(stated) ? TOOL_AUDIENCES.filter((audience) => stated.includes(audience)) : undefined
}

function readOpenaiAudiences(meta: JsonObject): readonly ToolAudience[] | undefined {
  const isPrivate = meta['openai/visibility'] === 'private'
  const isRefusedToApps = meta['openai/widgetAccessible'] === false
  if (!isPrivate && !isRefusedToApps) return undefined
  return TOOL_AUDIENCES.filter((audience) => (audience === 'model' ? !isPrivate : !isRefusedToApps))
}

/** Reports whether the model, or the views of the same server, may call a tool. */
export function isVisibleTo(tool: WithMeta, audience: ToolAudience): boolean {
  return readToolView(tool).visibility?.includes(audience) ?? true
}

/** Reads `_meta.ui` of a resource or of its contents leniently: members of another type are omitted. */
export function readViewMeta(resource: WithMeta): ViewMeta {
  const ui = metaOf(resource)[ViewKey.nested]
  if (!isObject(ui)) return {}
  const { csp, permissions, domain, prefersBorder } = ui
  return {
    ...(isObject(csp) && { csp: readCsp(csp) }),
    ...(isObject(permissions) && { permissions: readPermissions(permissions) }),
    ...(typeof domain === 'string' && { domain }),
    ...(typeof prefersBorder === 'boolean' && { prefersBorder }),
  }
}

function readCsp(csp: JsonObject): ViewCsp {
  const lists = CSP_LISTS.flatMap((list) => {
    const value = csp[list]
    return Array.isArray(value) ? [[list, value.filter((origin) => typeof origin === 'string')] as const] : []
  })
  return Object.fromEntries(lists)
}

/** `true` counts as `{}`; `false` and `null` count as absent. */
function readPermissions(permissions: JsonObject): ViewPermissions {
  const asked = VIEW_PERMISSIONS.filter((name) => permissions[name] === true || isObject(permissions[name]))
  return Object.fromEntries(asked.map((name) => [name, {}]))
}

const PROFILE = /^profile\s*=\s*"?mcp-app"?$/

/** Reports whether a media type is that of views, in any spelling. */
export function isViewMimeType(mimeType: unknown): boolean {
  if (typeof mimeType !== 'string') return false
  const [essence, ...parameters] = mimeType.split(';').map((part) => part.trim().toLowerCase())
  return essence === 'text/html' && parameters.some((parameter) => PROFILE.test(parameter))
}

/** Reports whether a client declares that it renders views. It must name their media type. */
export function rendersViews({ extensions }: ClientCapabilities): boolean {
  const settings = extensions?.[APPS_EXTENSION] ?? extensions?.[APPS_EXTENSION_ALIAS]
  const mimeTypes = isObject(settings) ? settings.mimeTypes : undefined
  return Array.isArray(mimeTypes) && mimeTypes.some(isViewMimeType)
}

/** Returns capabilities under the current id of the extension, without it if the client cannot render views. Returns the same object if nothing changes. */
export function normalizeViewCapability(capabilities: ClientCapabilities): ClientCapabilities {
  const { extensions } = capabilities
  if (!extensions || !(Object.hasOwn(extensions, APPS_EXTENSION) || Object.hasOwn(extensions, APPS_EXTENSION_ALIAS)))
    return capabilities
  const isNormal = !Object.hasOwn(extensions, APPS_EXTENSION_ALIAS)
  const renders = rendersViews(capabilities)
  if (renders && isNormal) return capabilities
  const { [APPS_EXTENSION]: current, [APPS_EXTENSION_ALIAS]: former, ...others } = extensions
  const settings = current ?? former
  return { ...capabilities, extensions: { ...others, ...(renders && settings && { [APPS_EXTENSION]: settings }) } }
}

/** Changes the URI of a view in a `_meta`, under each of its keys. Returns the same object if it has none. */
export function mapViewUris(meta: JsonObject, change: (uri: string) => string): JsonObject {
  const { [ViewKey.nested]: ui } = meta
  const changed: JsonObject = {}
  if (isObject(ui) && typeof ui.resourceUri === 'string') changed[ViewKey.nested] = { ...ui, resourceUri: change(ui.resourceUri) }
  for (const key of [ViewKey.flat, ViewKey.openai]) {
    const uri = meta[key]
    if (typeof uri === 'string') changed[key] = change(uri)
  }
  return Object.keys(changed).length > 0 ? { ...meta, ...changed } : meta
}

/** Returns the keys of a `_meta` that concern views, or `undefined` if there are none. */
export function pickViewMeta(meta: unknown): JsonObject | undefined {
  if (!isObject(meta)) return undefined
  const picked = Object.entries(meta).filter(
    ([key]) => key === ViewKey.nested || key === ViewKey.flat || key.startsWith('openai/'),
  )
  return picked.length > 0 ? Object.fromEntries(picked) : undefined
}

/** The types of tools, by name, as views see them. */
export type AppToolTypes = {
  [name: string]: {
    /** The type of the arguments. */
    input: unknown
    /** The type of `structuredContent`; `undefined` for a tool without an output schema. */
    output: unknown
  }
}

/** A server, or a tool that `defineTool` returned, as far as types need it. */
interface TypedServer<T> {
  /** Carries the types of the tools. */
  readonly '~tools'?: T
}
interface TypedTool<T> {
  /** Carries the types of the tool. */
  readonly '~tool'?: T
}

type DefinedToolLike = TypedTool<unknown> & {
  /** The handler of the tool. */
  readonly handler: unknown
}

/**
 * The types of the tools of a server, for its views: `connectApp<AppTools<typeof server>>(…)`. Also of an object of tools that `defineTool`
 * returned.
 */
export type AppTools<S> = S extends { readonly [name: string]: DefinedToolLike }
  ? { [name in keyof S]: S[name] extends TypedTool<infer T> ? T : never }
  : S extends TypedServer<infer T>
    ? T extends AppToolTypes
      ? T
      : never
    : never
