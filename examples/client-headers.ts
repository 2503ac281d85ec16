/** HTTP headers of all requests of a client, and of one call. */
import { connect } from 'portcall/client'

export async function whoAmI(url: string, readToken: () => Promise<string>): Promise<unknown> {
  const client = await connect(url, { headers: async () => ({ authorization: `Bearer ${await readToken()}` }) })
  const { content } = await client.callTool('whoami', {}, { headers: { 'x-tenant': 'acme' } })
  await client.close()
  return content
}
