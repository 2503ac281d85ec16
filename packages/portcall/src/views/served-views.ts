import { errorMessage } from '../../../util/src/errors.ts'
import { escapeHtml } from '../../../util/src/escape-html.ts'
import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import { VIEW_MIME_TYPE } from '../protocol/apps.ts'
import type { CacheHint } from '../protocol/types.ts'
import { autoDomain } from '../protocol/view-domain.ts'
import type { Call } from '../server/call.ts'
import type { BoundView, ViewedTool, ViewHost } from '../server/tool-view.ts'
import { ViewError } from './errors.ts'
import { createResultFinisher, type ViewData } from './finish-result.ts'
import { MAX_PAGE_BYTES } from './limits.ts'
import { readViewUri, slugOf } from './names.ts'
import type { ViewOptions } from './options.ts'
import type { PageSource, ViewPage } from './page.ts'
import { renderToolListing, renderViewMeta } from './render.ts'

/** A view, before a server serves it. */
export interface ViewDefinition {
  readonly page: PageSource
  readonly options: ViewOptions
  /** The data that the view reads, if it is known. */
  readonly data?: ViewData
}

/** A view of one server. */
interface ServedView extends ViewDefinition {
  /** The URI without the revision. */
  readonly base: string
  readonly tools: Set<string>
  /** Resolves when the page is loaded, or cannot be loaded. */
  loading: Promise<void>
  loaded: ViewPage | undefined
  failure: string | undefined
  /** Counts the builds: one that ends after a later one has started is out of date. */
  round: number
}

/** The views of one server. */
export interface ServedViews {
  /** Binds a tool to a view. @throws ViewError if another view has its name. */
  bind(definition: ViewDefinition, tool: ViewedTool): BoundView
}

const byHost = new WeakMap<ViewHost, ServedViews>()

/** Returns the views of a server. */
export function servedViewsOf(host: ViewHost): ServedViews {
  const known = byHost.get(host) ?? createServedViews(host)
  byHost.set(host, known)
  return known
}

function createServedViews(host: ViewHost): ServedViews {
  const byBase = new Map<string, ServedView>()
  const serve = (definition: ViewDefinition, tool: string): ServedView => {
    const name = slugOf(definition.options.name ?? definition.page.name ?? tool)
    const base = `ui://${slugOf(host.info.name)}/${name}.html`
    const known = byBase.get(base)
    if (known && isSameView(known, definition)) return known
    if (known && [...known.tools].some((other) => other !== tool && host.hasView(other)))
      throw new ViewError(
        'VIEW_NAME_TAKEN',
        `Two views have the URI ${base}. Give one of them another name: view(source, { name })`,
      )
    known?.tools.clear()
    const served = load(definition, base, host)
    byBase.set(base, served)
    return served
  }
  host.declareResources()
  const loadAll = async (): Promise<void> => {
    for (const { loading, loaded, failure } of byBase.values()) if (!loaded && failure === undefined) await loading
  }
  host.wrapHandler('tools/list', async (_call, next) => {
    await loadAll()
    return next()
  })
  host.wrapHandler('resources/list', async (call, next) => {
    await loadAll()
    const result = await next()
    return result.nextCursor === undefined ? appendViews(result, [...byBase.values()], { call, host }) : result
  })
  host.wrapHandler('resources/read', async (call, next) => {
    const { uri } = call.request.params ?? {}
    const parts = typeof uri === 'string' ? readViewUri(uri) : undefined
    const served = parts && byBase.get(parts.base)
    if (!served || !(await mayRead(served, { call, host }))) return next()
    await served.loading
    return readView(served, { uri: uri as string, revision: parts.revision }, { call, host })
  })
  return {
    bind(definition, tool) {
      const served = serve(definition, tool.name)
      for (const { tools } of byBase.values()) tools.delete(tool.name)
      served.tools.add(tool.name)
      return {
        listing: renderToolListing(uriOf(served), tool, served.options),
        finish: createResultFinisher(tool.name, host.reportWarning, definition.data),
      }
    },
  }
}

/** Reports whether two views show the same page in the same way, such as two calls of `view` with one file. */
function isSameView(one: ViewDefinition, other: ViewDefinition): boolean {
  if (one.page === other.page) return true
  const isSamePage = one.page.path !== undefined && one.page.path === other.page.path
  return isSamePage && JSON.stringify(one.options) === JSON.stringify(other.options)
}

function load(definition: ViewDefinition, base: string, host: ViewHost): ServedView {
  const served: ServedView = {
    ...definition,
    base,
    tools: new Set(),
    loaded: undefined,
    failure: undefined,
    round: 0,
    loading: Promise.resolve(),
  }
  const start = (): Promise<void> => loadPage(served, host)
  served.loading = start()
  definition.page.onChange?.(() => {
    served.loading = start()
  })
  return served
}

/** Loads the page of a view, also again: its tools then name another URI. */
async function loadPage(served: ServedView, host: ViewHost): Promise<void> {
  const { base, loaded: before } = served
  const round = ++served.round
  try {
    const page = await served.page.load()
    if (round !== served.round) return
    served.failure = undefined
    served.loaded = page
    for (const warning of page.warnings) host.reportWarning(`The view ${base}: ${warning}`)
    const size = new TextEncoder().encode(page.html).length
    if (size > MAX_PAGE_BYTES)
      host.reportWarning(
        `The view ${base} has ${size} bytes. Hosts show pages of up to ${MAX_PAGE_BYTES} bytes at once: make it smaller`,
      )
  } catch (error) {
    if (round !== served.round) return
    served.loaded = undefined
    const reference = String(host.reportError(error))
    // Only the author watches a process: others get no details.
    served.failure = served.page.onChange ? errorMessage(error) : `This view could not be built. Reference: ${reference}`
  }
  if (served.loaded?.revision !== before?.revision) for (const tool of [...served.tools]) host.refresh(tool)
}

const uriOf = ({ base, loaded }: ServedView): string => (loaded ? `${base}?v=${loaded.revision}` : base)

/** A call, and the server that answers it. */
interface Answering {
  readonly call: Call
  readonly host: ViewHost
}

/** Reports whether a view exists for a caller: if one of its tools does. Missing scopes do not matter, since hosts load views before calls. */
async function mayRead({ tools }: ServedView, { call, host }: Answering): Promise<boolean> {
  const access = await Promise.all([...tools].filter(host.hasView).map((tool) => host.toolAccess(tool, call)))
  return access.some(isObject)
}

async function metaOf({ options }: ServedView, { call, host }: Answering): Promise<JsonObject> {
  const { domain, url } = options
  if (domain !== 'auto') return renderViewMeta(options, domain)
  const request = { clientName: call.client.info?.name, http: host.httpOf(call), url }
  return renderViewMeta(options, await autoDomain(request))
}

async function appendViews(result: JsonObject, views: readonly ServedView[], answering: Answering): Promise<JsonObject> {
  const listed = views.filter(({ options }) => options.listed ?? true)
  const visible = await Promise.all(listed.map((served) => mayRead(served, answering)))
  const entries = listed
    .filter((_, index) => visible[index])
    .map(async (served) => {
      const { title, description } = served.options
      const _meta = await metaOf(served, answering)
      const name = served.base.slice(served.base.lastIndexOf('/') + 1)
      const entry = { uri: uriOf(served), name, title, description, mimeType: VIEW_MIME_TYPE }
      return { ...withoutUndefined(entry), ...(Object.keys(_meta).length > 0 && { _meta }) }
    })
  const isSame = visible.every(Boolean) && listed.every(({ options }) => options.domain !== 'auto')
  const resources = [...(result.resources as readonly unknown[]), ...(await Promise.all(entries))]
  return { ...result, resources, ...(!isSame && { cacheScope: 'private' }) }
}

const DAY_MS = 86_400_000

async function readView(
  served: ServedView,
  { uri, revision }: { readonly uri: string; readonly revision: string | undefined },
  answering: Answering,
): Promise<JsonObject> {
  const { loaded, failure = '', options } = served
  const _meta = await metaOf(served, answering)
  const isCurrent = loaded !== undefined && loaded.revision === revision
  const hint: CacheHint = { ttlMs: isCurrent ? DAY_MS : 0, cacheScope: 'private', ...(loaded && options.cache) }
  const contents = {
    uri,
    mimeType: VIEW_MIME_TYPE,
    text: loaded?.html ?? failurePage(failure),
    ...(Object.keys(_meta).length > 0 && { _meta }),
  }
  return { ...hint, contents: [contents] }
}

/** Returns the page that replaces one that cannot be built. The details are in the `error` event. It fails with the reason, which hosts show. */
function failurePage(reason: string): string {
  const text = JSON.stringify(reason).replaceAll('<', '\\u003c')
  return `<!doctype html><meta charset="utf-8"><title>View</title><p>${escapeHtml(reason)}</p><script>throw new Error(${text})</script>`
}
