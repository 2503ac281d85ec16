import { createServer, type Server } from 'portcall'
import { events } from 'portcall/events'
import { memoryStores } from 'portcall/stores'

const ORDER = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } as const

/** A server with two event types. Its tools emit an order, and end its process. Orders are kept in `stores`. */
export function createShop(name: string, stores: ReturnType<typeof memoryStores> = memoryStores()): Server {
  const server = createServer({ name, version: '1' }, { stores, extensions: [events({ limits: { pollIntervalMs: 20 } })] })
  const created = server.event('order.created', { description: `Orders of ${name}`, payload: ORDER })
  server.event('order.internal', { description: 'For the staff', payload: ORDER })
  server.tool('order', { input: ORDER }, async ({ id }) => {
    await created.emit({ id })
    return 'ordered'
  })
  server.tool('exit', {}, () => process.exit(1))
  return server
}
