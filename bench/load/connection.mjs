import { once } from 'node:events'
import { connect } from 'node:net'
import { postText } from './request.mjs'
import { Response } from './response.mjs'

/** One keep-alive connection on a bare socket that has one request under way. */
export class Connection {
  response = new Response()
  socket
  #onEnd
  #onFail

  constructor({ host = '127.0.0.1', port }) {
    this.socket = connect({ port, host, noDelay: true })
    this.socket.on('data', (chunk) => {
      if (this.response.push(chunk)) this.#onEnd()
    })
    this.socket.on('error', (error) => this.#onFail?.(error))
    this.socket.on('close', () => this.#onFail?.(new Error('the server closed the connection')))
  }

  ready = () => once(this.socket, 'connect')

  /** Calls back at the end of each response, or when the connection is lost. */
  listen(onEnd, onFail) {
    this.#onEnd = onEnd
    this.#onFail = onFail
  }

  /** Sends a request; `keep` keeps the body of its response. */
  send(bytes, keep) {
    this.response.begin(keep)
    this.socket.write(bytes)
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
    this.socket.destroy()
  }
}

/** Opens a connection to a target, `{ host, port, path }`, and, where there are sessions, a session on it; gives the headers that its requests carry. */
export async function openConnection(target, opening) {
  const connection = new Connection(target)
  await connection.ready()
  let headers = {}
  for (const { body, headers: own } of opening) {
    const response = await connection.exchange(postText(target, { headers: { ...own, ...headers }, body }))
    if (response.status >= 300) throw new Error(`HTTP ${response.status} to ${body}: ${response.body()}`)
    const session = response.header('mcp-session-id')
    if (session) headers = { 'mcp-session-id': session }
  }
  return { connection, headers }
}
