import { createServer } from 'portcall'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'

export function createReports(file: string, render: () => Promise<string>) {
  const stores = sqliteStores(file)
  const server = createServer({ name: 'reports', version: '1.0.0' }, { stores, extensions: [tasks()] })
  server.tool('render', { description: 'Render the yearly report', task: 'required' }, (_, call) => call.step('render', render))
  return { server, stores }
}
