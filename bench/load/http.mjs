import { once } from 'node:events'
import { connect } from 'node:net'
import { createRecorder } from './recorder.mjs'
import { createRequest, FIRST_ID, postText } from './request.mjs'
import { Response } from './response.mjs'
import { faultOf, messagesOf } from './verify.mjs'

/** One answer of so many is read and checked; of the others only status and end are looked at. */
const CHECK_EVERY = 64

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

let nextId = FIRST_ID

/** One keep-alive connection that has one request under way. */
class Connection {
  response = new Response()
  #socket
  #onEnd
  #onFail

  constructor(port) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', (chunk) => {
      if (this.response.push(chunk)) this.#onEnd()
    })
    this.#socket.on('error', (error) => this.#onFail?.(error))
    this.#socket.on('close', () => this.#onFail?.(new Error('the server closed the connection')))
  }

  ready = () => once(this.#socket, 'connect')

  /** Calls back at the end of each response, or once when the connection is lost. */
  listen(onEnd, onFail) {
    this.#onEnd = onEnd
    this.#onFail = onFail
  }

  send(bytes, keep) {
    this.response.begin(keep)
    this.#socket.write(bytes)
  }

  /** One request and its response. */
  exchange(text) {
    return new Promise((resolve, reject) => {
      this.listen(() => resolve(this.response), reject)
      this.send(Buffer.from(text, 'latin1'), true)
    })
  }

  close() {
    this.#onFail = undefined
    this.#socket.destroy()
  }
}

/** Opens a connection and, where there are sessions, a session on it; gives the headers that its requests carry. */
async function open({ port, opening }) {
  const connection = new Connection(port)
  await connection.ready()
  let headers = {}
  for (const { body, headers: own } of opening ?? []) {
    const response = await connection.exchange(postText({ port, headers: { ...own, ...headers }, body }))
    if (response.status >= 300) throw new Error(`HTTP ${response.status} to ${body}: ${response.body()}`)
    const session = response.header('mcp-session-id')
    if (session) headers = { 'mcp-session-id': session }
  }
  return { connection, headers }
}

/** Sends the requests of a job in turn over one connection, each when the one before is answered, until `stopped()`. */
function keepBusy({ connection, headers }, job, { recorder, stopped }) {
  const requests = job.requests.map(({ headers: own, body, check }) => {
    return { ...createRequest(postText({ port: job.port, headers: { ...own, ...headers }, body })), check }
  })
  let turn = 0
  let id = 0
  let sentAt = 0
  let checked = false

  const next = () => {
    const request = requests[turn % requests.length]
    checked = turn % CHECK_EVERY < requests.length
    id = nextId++
    sentAt = performance.now()
    connection.send(request.stamp(id), checked)
  }
  return new Promise((resolve, reject) => {
    const onEnd = () => {
      recorder.answered(sentAt, performance.now())
      const { status } = connection.response
      if (status !== 200) recorder.failed(`HTTP ${status}`)
      else if (checked) {
        const fault = faultOf(messagesOf(connection.response.body()), id, requests[turn % requests.length].check)
        if (fault) recorder.failed(fault)
      }
      turn++
      if (stopped()) resolve()
      else next()
    }
    connection.listen(onEnd, reject)
    next()
  })
}

/**
 * Calls an HTTP server on so many connections at once, each in a closed loop, first to warm it up, then for the measured time.
 *
 * @param {object} job `port`, `pid`, `workers` whether it has descendants, `concurrency`, `warmMs`, `ms`, `requests` as `{ headers, body, check }`, and `opening`: what each
 *   connection sends first, to open a session
 */
export async function runHttp(job) {
  const recorder = createRecorder(job)
  const connections = await Promise.all(Array.from({ length: job.concurrency }, () => open(job)))
  let over = false
  const busy = Promise.all(connections.map((one) => keepBusy(one, job, { recorder, stopped: () => over })))
  const measured = wait(job.warmMs).then(async () => {
    recorder.start()
    await wait(job.ms)
    return recorder.end()
  })
  try {
    const sample = await Promise.race([measured, busy.then(() => measured)])
    over = true
    await busy
    return sample
  } finally {
    for (const { connection } of connections) connection.close()
  }
}
