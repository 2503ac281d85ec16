/** The tools that models may call, and those that hosts of views need in lists. */

import { oncePer } from '../../../util/src/once-per.ts'
import { isObject, type JsonObject, type Request } from '../jsonrpc/message.ts'
import { isVisibleTo, readToolView, rendersViews } from '../protocol/apps.ts'
import { readClientCapabilities } from '../protocol/capabilities.ts'
import { MetaKey } from '../protocol/meta.ts'

/** Returns the tools that models may call. The array is the same for the same list. */
export const toolsForModels: (tools: readonly JsonObject[]) => readonly JsonObject[] = oncePer((tools: readonly JsonObject[]) => {
  const visible = tools.filter((tool) => isVisibleTo(tool, 'model'))
  return visible.length === tools.length ? tools : visible
})

/**
 * Reports whether a short list of tools must have a tool: hosts show the views of tools that are listed and called directly, and views may call only
 * listed ones. Tools that only views call are listed to clients that render views.
 */
export function isListedForViews(tool: JsonObject, { params }: Request): boolean {
  if (isVisibleTo(tool, 'model')) return readToolView(tool).resourceUri !== undefined
  const meta = isObject(params?._meta) ? params._meta : {}
  return isVisibleTo(tool, 'app') && rendersViews(readClientCapabilities(meta[MetaKey.clientCapabilities]))
}
