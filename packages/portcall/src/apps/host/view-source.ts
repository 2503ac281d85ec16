/** The page of a view, as its server has it. */
import { fromBase64 } from '../../../../util/src/base64.ts'
import { errorMessage } from '../../../../util/src/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { isViewMimeType, isViewUri, readToolView, readViewMeta, type ViewMeta } from '../../protocol/apps.ts'
import { followPages } from '../../protocol/pages.ts'
import type { Tool } from '../../protocol/types.ts'
import { HostError } from './errors.ts'
import type { AppClient } from './types.ts'

/** A page to show. */
export interface AppPage {
  /** The URI, if it comes from a server. */
  readonly uri?: string
  /** The HTML. */
  readonly html: string
  /** Its declarations: origins, browser features, border. */
  readonly meta?: ViewMeta
}

/** Reads the view of a tool. @throws HostError if the tool has none, or the server does not return it. */
export async function readView(client: AppClient, tool: Tool, signal: AbortSignal): Promise<AppPage> {
  const { resourceUri } = readToolView(tool)
  if (resourceUri === undefined || !isViewUri(resourceUri)) throw unreadable(`The tool ${JSON.stringify(tool.name)} has no view`)
  const contents = await readContents(client, resourceUri, signal)
  const content = contents.find(({ mimeType }) => isViewMimeType(mimeType))
  if (!content) {
    const types = contents.map(({ mimeType }) => String(mimeType)).join(', ') || 'nothing'
    throw new HostError(
      'VIEW_WRONG_TYPE',
      `The view ${resourceUri} must have the media type text/html;profile=mcp-app, but the server returned ${types}`,
    )
  }
  const html = htmlOf(content)
  if (html === undefined) throw unreadable(`The view ${resourceUri} has neither a text nor a blob`)
  const own = readViewMeta(content)
  return { uri: resourceUri, html, meta: Object.keys(own).length > 0 ? own : await listedMeta(client, resourceUri, signal) }
}

async function readContents(client: AppClient, uri: string, signal: AbortSignal): Promise<JsonObject[]> {
  try {
    const { contents } = await client.request('resources/read', { uri }, { signal })
    return Array.isArray(contents) ? contents.filter(isObject) : []
  } catch (error) {
    if (signal.aborted) throw error
    throw unreadable(`The view ${uri} cannot be read: ${errorMessage(error)}`, error)
  }
}

function htmlOf({ text, blob }: JsonObject): string | undefined {
  if (typeof text === 'string') return text
  if (typeof blob !== 'string') return undefined
  try {
    return new TextDecoder().decode(fromBase64(blob))
  } catch {
    return undefined
  }
}

/** Some servers describe the view only where they list it. Failures count as nothing. */
async function listedMeta(client: AppClient, uri: string, signal: AbortSignal): Promise<ViewMeta> {
  const fetch = (cursor: string | undefined): Promise<JsonObject> =>
    client.request('resources/list', cursor === undefined ? {} : { cursor }, { signal })
  try {
    for await (const { resources } of followPages({ method: 'resources/list', key: 'resources', fetch })) {
      const listed = Array.isArray(resources) ? resources.find((one) => isObject(one) && one.uri === uri) : undefined
      if (listed) return readViewMeta(listed as JsonObject)
    }
  } catch (error) {
    if (signal.aborted) throw error
  }
  return {}
}

const unreadable = (message: string, cause?: unknown): HostError => new HostError('VIEW_UNREADABLE', message, { cause })
