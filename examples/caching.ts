import { createServer } from 'portcall'
import { connect } from 'portcall/client'

const server = createServer({ name: 'weather', version: '1.0.0' }, { cache: { tools: { ttlMs: 60_000 } } })
let readings = 0
server.resource('sensor://temperature', { cache: { ttlMs: 60_000 } }, () => `${20 + readings++} °C`)

server.tool('measure', { description: 'Measure again' }, () => {
  server.resourceUpdated('sensor://temperature')
  return 'Measured'
})

const client = await connect(server)
const read = async () => (await client.readResource('sensor://temperature')).contents[0]

console.log(await read()) // from the server
console.log(await read()) // from the cache

const changes = client.listen({ resourceSubscriptions: ['sensor://temperature'] })
await changes.acknowledged
await client.callTool('measure')
for await (const _change of changes) break
console.log(await read()) // from the server, because the resource has changed

await client.close()
