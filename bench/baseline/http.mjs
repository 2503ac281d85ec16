/**
 * The HTTP baseline: `node:http` as someone who tunes it uses it. Each response is one write, with a content length and headers that are not
 * copied; bodies are parsed from the chunk they came in; notifications of one turn are sent together; idle connections stay open.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { serverArguments } from '../servers/arguments.mjs'
import { startWorkers, tellPort } from '../servers/workers.mjs'
import { createAnswers, greeting, QUESTION_REQUEST, responseText } from './answers.mjs'

/** The notifications of one turn are written when they are this long. */
const BATCH = 64 * 1024

const options = serverArguments()
const answer = createAnswers(options)
const sessions = new Set()

const STREAM = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-cache']
const event = (text) => `data: ${text}\n\n`

/** The first event of a subscription stream. */
const acknowledged = ({ id }) =>
  event(
    `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"${id}"},"notifications":{}}}`,
  )

const asked = new Map()
let lastQuestion = 0

/** Sends an input request to the client of a session, and responds when it has answered. */
function askFirst({ id }, response) {
  const question = `q${++lastQuestion}`
  asked.set(question, (result) => response.end(event(responseText(id, greeting(result)))))
  response.writeHead(200, STREAM).write(event(`{"jsonrpc":"2.0","id":"${question}",${QUESTION_REQUEST}}`))
}

function takeAnswer({ id, result }, response) {
  asked.get(id)(result)
  asked.delete(id)
  response.writeHead(202).end()
}

/** Writes the notifications of a call as events, many at a time. */
function createStream(response) {
  let events = ''
  return {
    notify(text) {
      if (!response.headersSent) response.writeHead(200, STREAM)
      events += event(text)
      if (events.length < BATCH) return
      response.write(events)
      events = ''
    },
    end: (text) => response.end(events + event(text)),
  }
}

function reply(message, response) {
  if (options.mode === 'session' && message.params?.name === 'ask') return askFirst(message, response)
  if (message.method === 'subscriptions/listen') return openStream(response, acknowledged(message))
  let stream
  const text = answer(message, (notification) => {
    stream ??= createStream(response)
    stream.notify(notification)
  })
  if (stream) return stream.end(text)
  if (!text) return response.writeHead(202).end()
  const headers = ['Content-Type', 'application/json', 'Content-Length', Buffer.byteLength(text)]
  if (message.method === 'initialize' && options.mode === 'session') {
    const id = randomUUID()
    sessions.add(id)
    headers.push('Mcp-Session-Id', id)
  }
  response.writeHead(200, headers).end(text)
}

/** A stream that stays open without further events. */
function openStream(response, first) {
  response.writeHead(200, STREAM).write(first)
}

function take(body, { headers }, response) {
  const message = JSON.parse(body)
  if (message.result) return takeAnswer(message, response)
  if (options.mode === 'session' && message.method !== 'initialize' && !sessions.has(headers['mcp-session-id']))
    return response.writeHead(404).end()
  reply(message, response)
}

function handle(request, response) {
  if (request.method === 'GET') return openStream(response, ': open\n\n')
  if (request.method === 'DELETE') return response.writeHead(200).end()
  let body
  let more
  request.on('data', (chunk) => {
    if (body === undefined) body = chunk
    else if (more) more.push(chunk)
    else more = [body, chunk]
  })
  request.on('end', () => take(more ? Buffer.concat(more) : body, request, response))
}

if (!(await startWorkers(options.workers))) {
  const server = createServer({ keepAliveTimeout: 65_000 }, handle)
  server.listen({ port: options.port, host: '127.0.0.1', backlog: 4096 }, () => tellPort(server.address().port))
}
