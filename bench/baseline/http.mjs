/** The HTTP baseline: `node:http`, JSON.parse, a hand-written response, JSON.stringify. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { serverArguments } from '../servers/arguments.mjs'
import { startWorkers, tellPort } from '../servers/workers.mjs'
import { createAnswers, greeting, QUESTION_REQUEST } from './answers.mjs'

const options = serverArguments()
const answer = createAnswers(options)
const sessions = new Set()

const STREAM = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
const event = (message) => `data: ${JSON.stringify(message)}\n\n`

/** The first event of a subscription stream. */
const acknowledged = ({ id }) =>
  event({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': String(id) }, notifications: {} },
  })

const asked = new Map()
let lastQuestion = 0

/** Sends an input request to the client of a session, and responds when it has answered. */
function askFirst({ id }, response) {
  const question = `q${++lastQuestion}`
  asked.set(question, (result) => response.end(event({ jsonrpc: '2.0', id, result: greeting(result) })))
  response.writeHead(200, STREAM).write(event({ jsonrpc: '2.0', id: question, ...QUESTION_REQUEST }))
}

function takeAnswer({ id, result }, response) {
  asked.get(id)(result)
  asked.delete(id)
  response.writeHead(202).end()
}

function reply(message, response) {
  if (options.mode === 'session' && message.params?.name === 'ask') return askFirst(message, response)
  if (message.method === 'subscriptions/listen') return openStream(response, acknowledged(message))
  let streaming = false
  const result = answer(message, (notification) => {
    if (!streaming) response.writeHead(200, STREAM)
    streaming = true
    response.write(event(notification))
  })
  if (streaming) return response.end(event(result))
  if (!result) return response.writeHead(202).end()
  const body = JSON.stringify(result)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  if (message.method === 'initialize' && options.mode === 'session') {
    const id = randomUUID()
    sessions.add(id)
    headers['mcp-session-id'] = id
  }
  response.writeHead(200, headers).end(body)
}

/** A stream that stays open without further events. */
function openStream(response, first) {
  response.writeHead(200, STREAM).write(first)
}

function handle(request, response) {
  if (request.method === 'GET') return openStream(response, ': open\n\n')
  if (request.method === 'DELETE') return response.writeHead(200).end()
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const message = JSON.parse(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))
    if (message.result) return takeAnswer(message, response)
    if (options.mode === 'session' && message.method !== 'initialize' && !sessions.has(request.headers['mcp-session-id']))
      return response.writeHead(404).end()
    reply(message, response)
  })
}

if (!(await startWorkers(options.workers))) {
  const server = createServer(handle).listen(options.port, '127.0.0.1', () => tellPort(server.address().port))
}
