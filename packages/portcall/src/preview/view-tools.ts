/** The tools of a server that have a view. */
import type { AppClient } from '../apps/host/types.ts'
import { isViewUri, isVisibleTo, readToolView } from '../protocol/apps.ts'
import type { Tool } from '../protocol/types.ts'

/** Returns the tools whose views hosts show: those that models may call. */
export async function listViewTools(client: Pick<AppClient, 'tools'>): Promise<Tool[]> {
  const tools = await client.tools().toArray()
  return tools.filter((tool) => isViewUri(readToolView(tool).resourceUri ?? '') && isVisibleTo(tool, 'model'))
}
