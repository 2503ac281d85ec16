import { type Client, connectAll, type FormRequest } from 'portcall/client'

type Ask = (server: string, form: FormRequest) => Promise<Record<string, unknown>>

/** Connects to one server of a configuration. Its questions go to `ask`, together with its name. */
export async function describeServer(config: string, server: string, ask: Ask): Promise<string> {
  const group = await connectAll(config, { optionsOf: (name) => ({ elicit: (form) => ask(name, form) }) })
  try {
    const client: Client = await group.client(server)
    const { instructions } = await client.discover()
    return `${group.status[server]?.state}: ${instructions}`
  } catch (error) {
    return `${group.status[server]?.state}: ${error}`
  } finally {
    await group.close()
  }
}
