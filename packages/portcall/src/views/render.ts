import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { isVisibleTo, OPENAI_CSP_LISTS, OpenaiViewKey, ViewKey, type ViewMeta } from '../protocol/apps.ts'
import type { ViewedTool } from '../server/tool-view.ts'
import type { ChatgptOptions, ViewOptions } from './options.ts'

/** Returns the `_meta` of a view, for its entry in lists and for its contents. */
export function renderViewMeta(
  { csp, permissions, border, hosts, chatgpt }: ViewOptions,
  domain: string | undefined,
): JsonObject {
  const ui: ViewMeta = withoutUndefined({
    csp,
    permissions: permissions && Object.fromEntries(permissions.map((name) => [name, {}])),
    domain,
    prefersBorder: border,
  })
  const openai = hosts?.includes('chatgpt') ? renderOpenaiMeta(ui, chatgpt) : {}
  return { ...(Object.keys(ui).length > 0 && { [ViewKey.nested]: ui }), ...openai }
}

/** Returns the keys with which ChatGPT described views before MCP Apps. */
function renderOpenaiMeta(
  { csp, domain, prefersBorder }: ViewMeta,
  { description, redirectDomains }: ChatgptOptions = {},
): JsonObject {
  const { connectDomains, resourceDomains, frameDomains } = OPENAI_CSP_LISTS
  const widgetCsp = withoutUndefined({
    [connectDomains]: csp?.connectDomains ?? [],
    [resourceDomains]: csp?.resourceDomains ?? [],
    [frameDomains]: csp?.frameDomains,
    redirect_domains: redirectDomains,
  })
  return withoutUndefined({
    [OpenaiViewKey.csp]: widgetCsp,
    [OpenaiViewKey.domain]: domain,
    'openai/widgetPrefersBorder': prefersBorder,
    'openai/widgetDescription': description,
  })
}

/**
 * Returns the members that a view adds to the entry of its tool: its URI under the nested key, and under the flat one, which some versions of
 * Claude need.
 */
export function renderToolListing(uri: string, { meta, scopes }: ViewedTool, { hosts, chatgpt }: ViewOptions): JsonObject {
  // Some hosts render a tool only if it names its audience.
  const own = { visibility: ['model', 'app'], ...(meta[ViewKey.nested] as JsonObject | undefined), resourceUri: uri }
  const _meta = { ...meta, [ViewKey.nested]: own, [ViewKey.flat]: uri }
  if (!hosts?.includes('chatgpt')) return { _meta }
  const securitySchemes = chatgpt?.securitySchemes ?? (scopes && [{ type: 'oauth2', scopes: [...scopes] }])
  const openai = withoutUndefined({
    [ViewKey.openai]: uri,
    'openai/widgetAccessible': isVisibleTo({ _meta }, 'app'),
    'openai/visibility': isVisibleTo({ _meta }, 'model') ? 'public' : 'private',
    'openai/toolInvocation/invoking': chatgpt?.invoking,
    'openai/toolInvocation/invoked': chatgpt?.invoked,
    'openai/fileParams': chatgpt?.fileParams,
    securitySchemes,
  })
  return { _meta: { ..._meta, ...openai }, ...(securitySchemes && { securitySchemes }) }
}
