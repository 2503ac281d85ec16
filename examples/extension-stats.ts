import { createServer, defineServerExtension } from 'portcall'
import { connect, defineClientExtension } from 'portcall/client'

const ID = 'com.example/stats'

const serverStats = defineServerExtension({
  id: ID,
  name: 'stats',
  setup(context) {
    const calls = new Map()
    context.useToolMiddleware(async (_call, tool, next) => {
      calls.set(tool.name, (calls.get(tool.name) ?? 0) + 1)
      return await next()
    })
    context.method('stats/get', {}, () => ({ calls: Object.fromEntries(calls) }))
    return { reset: () => calls.clear() }
  },
})

const clientStats = defineClientExtension({
  id: ID,
  name: 'stats',
  setup(context) {
    context.method('stats/get', {})
    return { get: () => context.request('stats/get') }
  },
})

const server = createServer({ name: 'hello', version: '1.0.0' }, { extensions: [serverStats] })
server.tool('greet', { description: 'Greet the caller' }, () => 'Hello!')

const client = await connect(server, { extensions: [clientStats] })
await client.callTool('greet')
const { calls } = await client.stats.get()
console.log(calls)
server.stats.reset()
await client.close()
