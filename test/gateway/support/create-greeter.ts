import { type Call, createServer, type Server } from 'portcall'

/** A server that greets the caller by the name that the caller gives. `onCall` receives each round of a call, and what its client can do. */
export function createGreeter(onCall: (id: number | undefined, client: Call['client']) => void = () => {}): Server {
  return createServer({ name: 'greeter', version: '1' }).tool(
    'greet',
    { input: { type: 'object', properties: { id: { type: 'integer' } } } as const },
    async ({ id }: { id?: number }, call) => {
      onCall(id, call.client)
      const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
      const first = await call.elicit(`First name of ${id}?`, schema)
      const second = await call.elicit(`Last name of ${id}?`, schema)
      return `${id}: ${String(first.name)} ${String(second.name)}`
    },
  )
}
