/**
 * The baseline of gateways: a hand-written proxy on plain sockets for one server. It parses each message, renames the tool, gives the request
 * another id, translates between the revisions, and serializes the message again. It checks nothing, limits nothing and handles no errors.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { parseArgs } from 'node:util'
import { Connection, openConnection } from '../load/connection.mjs'
import { postText } from '../load/request.mjs'
import { tellPort } from '../servers/workers.mjs'
import { openingLines, openingPosts, REVISIONS } from '../workloads/messages.mjs'

const { values } = parseArgs({
  options: { front: { type: 'string' }, back: { type: 'string' }, port: { type: 'string' }, program: { type: 'string' } },
})
const { front, back } = values
const PREFIX = 's0__'
const HEAD_END = '\r\n\r\n'
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISIONS.modern,
  'io.modelcontextprotocol/clientInfo': { name: 'proxy', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

let lastId = 0

/** Returns a request as the server gets it. */
function translated({ method, params: { _meta, ...params } }) {
  const renamed = { ...params, name: params.name.slice(PREFIX.length) }
  return { jsonrpc: '2.0', id: ++lastId, method, params: back === 'modern' ? { ...renamed, _meta: META } : renamed }
}

/** Returns a response as the client gets it, as JSON. */
function answered(id, { result: { resultType, ...result } }) {
  return JSON.stringify({ jsonrpc: '2.0', id, result: front === 'modern' ? { resultType: 'complete', ...result } : result })
}

/** Sends requests to an HTTP server. A connection carries one request at a time; the one that was used last is used first. */
async function createHttpSender(port) {
  const target = { port, lean: true }
  const { connection: first, headers } = await openConnection(target, openingPosts(back))
  first.close()
  let idle = []
  return (message, onResponse) => {
    const connection = idle.pop() ?? new Connection(target)
    const own = back === 'modern' ? { 'mcp-method': message.method, 'mcp-name': message.params.name } : headers
    const onEnd = () => {
      idle.push(connection)
      onResponse(JSON.parse(connection.response.body()))
    }
    connection.listen(onEnd, () => {
      idle = idle.filter((other) => other !== connection)
    })
    const body = JSON.stringify(message)
    connection.send(postText(target, { headers: { 'mcp-protocol-version': REVISIONS[back], ...own }, body }), true)
  }
}

/** Sends requests to a program, all that are ready in one turn together. */
function createProgramSender({ command, args }) {
  const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  let rest = ''
  let lines = openingLines(back)
  const flush = () => {
    stdin.write(`${lines.join('\n')}\n`)
    lines = []
  }
  if (lines.length) flush()
  stdout.setEncoding('utf8').on('data', (text) => {
    const received = (rest + text).split('\n')
    rest = received.pop()
    for (const line of received) {
      const message = JSON.parse(line)
      waiting.get(message.id)?.(message)
      waiting.delete(message.id)
    }
  })
  return (message, onResponse) => {
    waiting.set(message.id, onResponse)
    if (lines.push(JSON.stringify(message)) === 1) setImmediate(flush)
  }
}

const send = values.program ? createProgramSender(JSON.parse(values.program)) : await createHttpSender(values.port)

let pending = []

/** Writes what one turn has produced together. */
function flush() {
  const all = pending
  pending = []
  for (const { socket, text } of all) socket.write(text)
}

function write(socket, text) {
  if (pending.push({ socket, text }) === 1) setImmediate(flush)
}

const reply = (socket, body, header = '') =>
  write(
    socket,
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${header}content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`,
  )

function handle(message, socket) {
  if (message.method === 'initialize') {
    const result = {
      protocolVersion: REVISIONS.session,
      capabilities: { tools: {} },
      serverInfo: { name: 'proxy', version: '1.0.0' },
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result })
    reply(socket, body, `mcp-session-id: ${randomUUID()}\r\n`)
  } else if (message.id === undefined) write(socket, `HTTP/1.1 202 Accepted\r\ncontent-length: 0${HEAD_END}`)
  else send(translated(message), (response) => reply(socket, answered(message.id, response)))
}

const server = createServer({ noDelay: true }, (socket) => {
  let text = ''
  socket.setEncoding('utf8').on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk
    const end = text.indexOf(HEAD_END)
    const length = end < 0 ? undefined : Number(/content-length: *(\d+)/i.exec(text)[1])
    if (length === undefined || text.length < end + HEAD_END.length + length) return
    const body = text.slice(end + HEAD_END.length)
    text = ''
    handle(JSON.parse(body), socket)
  })
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => tellPort(server.address().port))
