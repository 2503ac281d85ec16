import { type ConnectTarget, connect } from 'portcall/client'
import { events, eventWebhook } from 'portcall/events/client'

const stored: unknown[] = []

/** Receives the events of all subscriptions. Store an event before you return: it is not sent again. */
export const webhook = eventWebhook({
  url: 'https://app.example.com/mcp-events',
  onEvent: async (event, { subscriptionId }) => void stored.push({ subscriptionId, ...event }),
  onGap: (_, { name }) => console.error(`Events of ${name} are missing`),
  onTerminated: ({ message }, { name }) => console.error(`The subscription to ${name} has ended: ${message}`),
  onError: (error) => console.error(error),
})

/** Subscribes, and refreshes the subscription until the client is closed. */
export async function subscribe(target: ConnectTarget): Promise<() => Promise<void>> {
  const client = await connect(target, { extensions: [events({ webhook })] })
  await client.events.on('order.created', { region: 'eu' }, ({ data }) => console.log(data))
  return client.events.closeAll
}
