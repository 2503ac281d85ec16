/** A client that subscribes to changes. */
import { type Change, type Client, type ConnectTarget, connect } from 'portcall/client'

// #region listen
/** Keeps a host up to date until the client is closed. */
export async function follow(client: Client, show: (change: Change, now: unknown) => void): Promise<void> {
  const changes = client.listen({ promptsListChanged: true, resourceSubscriptions: ['count://visits'] })
  console.error('Subscribed to', await changes.acknowledged)

  for await (const change of changes) {
    if (change.type === 'resource') show(change, (await client.readResource(change.uri)).contents)
    else if (change.type === 'prompts') show(change, await client.prompts().toArray())
  }
}
// #endregion

// #region events
/** Connects and reports the state of the connection. */
export function connectWatched(target: ConnectTarget, log: (text: string) => void): Promise<Client> {
  return connect(target, {
    logLevel: 'info',
    onEvent: (event) => {
      if (event.type === 'disconnected') log(`disconnected: ${event.error}`)
      else if (event.type === 'reconnected') log('reconnected')
      else if (event.type === 'log') log(`${event.level} ${JSON.stringify(event.data)}`)
      else if (event.type === 'unexpected-message') log(`${event.kind}: ${event.text}`)
      else log(event.message)
    },
  })
}
// #endregion
