/** A client that hears what changes on its server. */
import { type Change, type Client, connect, type Target } from 'portcall/client'

// #region listen
/** Keeps a host up to date until the client is closed. */
export async function follow(client: Client, show: (change: Change, now: unknown) => void): Promise<void> {
  const changes = client.listen({ promptsListChanged: true, resourceSubscriptions: ['count://visits'] })
  console.error('The server tells of', await changes.honoured)

  for await (const change of changes) {
    if (change.type === 'resource') show(change, (await client.read(change.uri)).contents)
    else if (change.type === 'prompts') show(change, await client.prompts().toArray())
  }
}
// #endregion

// #region events
/** Connects, and tells how the connection is. */
export function connectWatched(target: Target, tell: (text: string) => void): Promise<Client> {
  return connect(target, {
    logLevel: 'info',
    onEvent: (event) => {
      if (event.type === 'lost') tell(`lost: ${event.error}`)
      else if (event.type === 'restored') tell('restored')
      else if (event.type === 'log') tell(`${event.level} ${JSON.stringify(event.data)}`)
      else if (event.type === 'noise') tell(`${event.kind}: ${event.text}`)
      else tell(event.message)
    },
  })
}
// #endregion
