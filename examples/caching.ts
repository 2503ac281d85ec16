/** A server that allows clients to cache its list of tools for a minute, and a resource for a second. */
import { createServer } from 'portcall'

export const server = createServer({ name: 'weather', version: '1.0.0' }, { cache: { tools: { ttlMs: 60_000 } } })

server.tool('forecast', { description: 'Forecasts the weather' }, () => 'Sunny')

let readings = 0
server.resource('sensor://temperature', { cache: { ttlMs: 1000 } }, () => `${20 + readings++} °C`)
