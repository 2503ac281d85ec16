import { once } from 'node:events'
import { connect } from 'node:net'
import { postText } from './request.mjs'
import { Response } from './response.mjs'

/** A shared read buffer, for sockets whose bytes are processed immediately: one buffer per read costs more than the processing. */
const BYTES = Buffer.alloc(2 ** 16)

/** Makes a socket read without a stream. */
const readInto = (take) => ({
  buffer: BYTES,
  callback(size) {
    take(BYTES.subarray(0, size))
    return true
  },
})

/** A keep-alive connection on a plain socket with one request in flight. A `lean` one emits no events for what it reads. */
export class Connection {
  response = new Response()
  socket
  #onEnd
  #onFail

  constructor({ host = '127.0.0.1', port, lean = false }) {
    const take = (bytes) => {
      if (this.response.push(bytes)) this.#onEnd()
    }
    this.socket = connect({ port, host, noDelay: true, ...(lean && { onread: readInto(take) }) })
    if (!lean) this.socket.on('data', take)
    this.socket.on('error', (error) => this.#onFail?.(error))
    this.socket.on('close', () => this.#onFail?.(new Error('the server closed the connection')))
  }

  ready = () => once(this.socket, 'connect')

  /** Calls back at the end of each response, or when the connection is lost. */
  listen(onEnd, onFail) {
    this.#onEnd = onEnd
    this.#onFail = onFail
  }

  /** Sends a request; `keep` stores the body of its response. */
  send(bytes, keep) {
    this.response.begin(keep)
    this.socket.write(bytes)
  }

  /** Sends a request and resolves to its response. */
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

/** Opens a connection to a target, `{ host, port, path, lean }`, and initializes a session where there are sessions. Returns the headers of its requests. */
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
