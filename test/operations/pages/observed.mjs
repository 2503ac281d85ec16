import pino from 'pino'
import { createServer } from 'portcall'
import { metrics } from 'portcall/metrics'
import { serve } from 'portcall/node'

const prometheus = metrics()

const server = createServer({ name: 'shop', version: '1.0.0' }, { logger: pino() })
server.use(prometheus.middleware)

server.tool('price', { description: 'Return the price of a pear' }, () => 'A pear costs 1 €')

await serve(server, { port: Number(process.env.PORT ?? 3000), metrics: prometheus })
