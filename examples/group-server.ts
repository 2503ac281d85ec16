/** One server of a group, with its own client, options and status. */
import { connectAll, type FormRequest, type ServerStatus } from 'portcall/client'
import type { JsonObject } from 'portcall/jsonrpc'

type Ask = (server: string, form: FormRequest) => Promise<JsonObject>

export async function open(config: string, server: string, ask: Ask): Promise<ServerStatus> {
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
