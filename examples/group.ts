/** All servers of a configuration as one group. */
import { connectAll, type GroupEvent } from 'portcall/client'

/** Lists the tools of all servers, and calls one. */
export async function search(config: string, onEvent: (event: GroupEvent) => void): Promise<unknown> {
  const group = await connectAll(config, { onEvent })

  for await (const { name, server, originalName } of group.tools()) console.error(`${name}: ${originalName} of ${server}`)

  const { structuredContent } = await group.callTool('notes__search', { query: 'error' })
  await group.close()
  return structuredContent
}
