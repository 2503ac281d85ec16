import pino from 'pino'
import { createServer } from 'portcall'
import { logging } from 'portcall/logging'
import { metrics } from 'portcall/metrics'
import { serve } from 'portcall/node'

const logs = logging({ logger: pino() })
const prometheus = metrics()

const server = createServer({ name: 'shop', version: '1.0.0' }, { onEvent: logs.onEvent })
server.use(prometheus.middleware)
server.use(logs.middleware)

server.tool('price', { description: 'Return the price of a pear' }, () => 'A pear costs 1 €')

await serve(server, { port: Number(process.env.PORT ?? 3000), metrics: prometheus })
