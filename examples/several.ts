/** All servers of a configuration as one group. */
import { connectAll, type FormRequest, type GroupEvent, type ServerStatus } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'

// #region several
/** Lists the tools of all configured servers, and calls one. */
export async function search(config: string, onEvent: (event: GroupEvent) => void): Promise<unknown> {
  const group = await connectAll(config, { onEvent })

  for await (const { name, server, originalName } of group.tools()) console.error(`${name}: ${originalName} of ${server}`)

  const { structuredContent } = await group.callTool('notes__search', { query: 'error' })
  await group.close()
  return structuredContent
}
// #endregion

// #region one
/** Each server has its own client, options and status. */
export async function open(
  config: string,
  server: string,
  ask: (server: string, form: FormRequest) => Promise<JsonObject>,
): Promise<ServerStatus> {
  const group = await connectAll(config, {
    optionsOf: (name) => ({ elicit: (form) => ask(name, form) }),
    env: { ...process.env, NOTES_TOKEN: 'secret' },
  })
  try {
    const client = await group.client(server)
    console.error((await client.discover()).instructions)
  } catch (error) {
    console.error(error)
  }
  const status = group.status[server] ?? { state: 'closed' }
  await group.close()
  return status
}
// #endregion
