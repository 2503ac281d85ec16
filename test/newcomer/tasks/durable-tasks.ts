import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { createServer } from 'portcall'
import { serve } from 'portcall/node'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'

const server = createServer(
  { name: 'tasks', version: '1.0.0' },
  { stores: sqliteStores('tasks.db'), extensions: [tasks({ limits: { leaseTtlMs: 1000, sweepIntervalMs: 200 } })] },
)

server.tool('render', { description: 'Renders the report', task: 'required' }, async (_args, call) => {
  const startedBy = await call.step('start', () => process.pid)
  while (!existsSync('ready')) await setTimeout(50, undefined, { signal: call.signal })
  return `Started by ${startedBy}, finished by ${process.pid}`
})

await serve(server, { port: Number(process.env.PORT) })
console.log(process.pid)
