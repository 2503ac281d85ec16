import { fromBase64 } from '../../../../../util/src/base64.ts'
import { sha256Hex } from '../../../../../util/src/digest.ts'
import type { Client } from '../../../client/types.ts'
import { isViewUri, readToolView } from '../../../protocol/apps.ts'
import type { Resource, ResourceContents, Tool } from '../../../protocol/types.ts'

/** The page of a view, or the reason why it could not be read. */
export interface ReadView {
  /** The URI of the view. */
  readonly uri: string
  /** The contents of the resource. */
  readonly contents?: ResourceContents
  /** The SHA-256 of the page, in hexadecimal digits. */
  readonly sha256?: string
  /** Why it could not be read. */
  readonly error?: unknown
}

/** The views that are read at once. */
const AT_ONCE = 4

/** Reads the views that tools name, and those that are listed as resources. A view that fails does not stop the others. */
export async function readViews(
  client: Client,
  { tools, resources }: { readonly tools: readonly Tool[]; readonly resources: readonly Resource[] },
  options: Parameters<Client['readResource']>[1],
): Promise<ReadView[]> {
  const named = tools.map((tool) => readToolView(tool).resourceUri).filter((uri) => uri !== undefined)
  const uris = [...new Set([...named, ...resources.map(({ uri }) => uri)])].filter(isViewUri)
  const views: ReadView[] = []
  for (let start = 0; start < uris.length; start += AT_ONCE) {
    const some = uris.slice(start, start + AT_ONCE)
    views.push(...(await Promise.all(some.map((uri) => readView(client, uri, options)))))
  }
  return views
}

async function readView(client: Client, uri: string, options: Parameters<Client['readResource']>[1]): Promise<ReadView> {
  try {
    const { contents: all } = await client.readResource(uri, options)
    const contents = all.find((one) => one.uri === uri) ?? all[0]
    return contents ? { uri, contents, sha256: await sha256Hex(pageTextOf(contents)) } : { uri }
  } catch (error) {
    return { uri, error }
  }
}

/** Returns the text of a resource, also if it is sent as bytes. */
export function pageTextOf(contents: ResourceContents): string {
  if ('text' in contents) return contents.text
  try {
    return new TextDecoder().decode(fromBase64(contents.blob))
  } catch {
    return ''
  }
}
