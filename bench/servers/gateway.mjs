/** Portcall's gateway with its defaults. `--servers` has its servers as JSON. */
import { parseArgs } from 'node:util'
import { createGateway } from 'portcall/gateway'
import { tellPort } from './workers.mjs'

const { values } = parseArgs({ options: { transport: { type: 'string', default: 'http' }, servers: { type: 'string' } } })

const gateway = createGateway({ servers: JSON.parse(values.servers) })

if (values.transport === 'stdio') {
  const { serveStdio } = await import('portcall/stdio')
  await serveStdio(gateway)
} else {
  const { serve } = await import('portcall/node')
  tellPort((await serve(gateway, { port: 0 })).port)
}
