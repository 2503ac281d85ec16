import { createServer } from 'portcall'
import { serve, workerNumber } from 'portcall/node'

const server = createServer({ name: 'cluster', version: '1.0.0' })
server.tool('which', { description: 'Returns the process that responds' }, () => String(process.pid))

const { url } = await serve(server, { port: Number(process.env.PORT ?? 3000), workers: 'auto' })
if (workerNumber === undefined) console.log(url)
