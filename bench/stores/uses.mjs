/** The access patterns of servers on their stores. */
import { Agent, request } from 'node:http'
import { createServer } from 'portcall'
import { connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { tasks } from 'portcall/tasks'
import { tasks as clientTasks } from 'portcall/tasks/client'

const VALUE = JSON.stringify({ text: 'x'.repeat(200) })
const EVENTS = 10
const CALLS = 10
const INFO = { name: 'stores', version: '1.0.0' }

/** A value that is stored until the client returns. */
async function useStore({ store }) {
  const turn = async (key) => {
    await store.set(key, VALUE, { ttlMs: 60_000 })
    await store.get(key)
    await store.compareAndSet(key, { expected: VALUE, value: undefined })
    return 3
  }
  return { turn, inFlight: 1, close() {} }
}

/** The events of one response. */
async function useLog({ log }) {
  const turn = async (key) => {
    let first
    for (let event = 0; event < EVENTS; event++) first ??= await log.append(key, VALUE)
    await log.read(key, first)
    await log.delete(key)
    return EVENTS + 2
  }
  return { turn, inFlight: 1, close() {} }
}

const agent = new Agent({ keepAlive: true })

/** Sends the messages of a 2025-11-25 client and reads the complete response. */
function send(method, url, { session, message }) {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('end', () => {
        if (response.statusCode < 300) resolve({ session: response.headers['mcp-session-id'], text })
        else reject(new Error(`HTTP ${response.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject)
    sent.end(message && JSON.stringify({ jsonrpc: '2.0', ...message }))
  })
}

/** Calls of sessions that any process can serve. Each sends a notification first, so that its response is a resumable stream. */
async function useSessions(stores) {
  const server = createServer(INFO, { stores })
  server.tool('work', {}, (_, call) => {
    call.log('info', 'begun')
    return 'done'
  })
  const { url, close } = await serve(server, { port: 0, handleProcessSignals: false })
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO }
  const turn = async () => {
    const post = (session, message) => send('POST', url, { session, message })
    const { session } = await post(undefined, { id: 0, method: 'initialize', params })
    await post(session, { method: 'notifications/initialized' })
    for (let id = 1; id <= CALLS; id++) {
      const { text } = await post(session, { id, method: 'tools/call', params: { name: 'work', arguments: {} } })
      if (!text.includes('"done"')) throw new Error(text)
    }
    await send('DELETE', url, { session })
    return CALLS
  }
  return { turn, inFlight: 16, close }
}

/** Tasks from call to result, each with one durable step. */
async function useTasks(stores) {
  const server = createServer(INFO, { stores, extensions: [tasks()] })
  server.tool('work', { task: 'required' }, async (_, call) => {
    await call.step('work', () => 'worked')
    return 'done'
  })
  const client = await connect(server, { extensions: [clientTasks({ listen: true })] })
  const turn = async () => {
    const { content } = await client.callTool('work')
    if (content[0]?.text !== 'done') throw new Error(JSON.stringify(content))
    return 1
  }
  const close = async () => {
    await client.close()
    await server.tasks.stop()
  }
  return { turn, inFlight: 16, close }
}

/** Each access pattern with its metric: turns, several in flight, each of which returns its number of operations. */
export const USES = {
  storePerSecond: useStore,
  logPerSecond: useLog,
  sessionPerSecond: useSessions,
  taskPerSecond: useTasks,
}
