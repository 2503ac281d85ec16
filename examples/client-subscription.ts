/** A client that subscribes to changes. */
import type { Client } from 'portcall/client'

/** Shows every change until the client is closed. */
export async function follow(client: Client, show: (what: string, now: unknown) => void): Promise<void> {
  const changes = client.listen({ promptsListChanged: true, resourceSubscriptions: ['count://visits'] })
  console.error('Subscribed to', await changes.acknowledged)

  for await (const change of changes) {
    if (change.type === 'resource') show(change.uri, (await client.readResource(change.uri)).contents)
    else if (change.type === 'prompts') show('prompts', await client.prompts().toArray())
  }
}
