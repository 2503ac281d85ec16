import { Connection, openConnection } from './connection.mjs'
import { createRequest, postText } from './request.mjs'

/** How many are opened at the same time. */
const AT_ONCE = 16

const held = []

/** Opens the standalone stream of a session with a GET. */
const getText = ({ host = '127.0.0.1', port, path = '/mcp' }, headers) => {
  const lines = Object.entries({ host: `${host}:${port}`, accept: 'text/event-stream', ...headers })
  return `GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** Sends a request that opens a stream; resolves to its first bytes. */
async function openStream(connection, bytes) {
  const { socket } = connection
  const answered = new Promise((resolve, reject) => {
    socket.once('data', resolve)
    socket.once('error', reject)
    socket.once('close', () => reject(new Error('the server closed a stream')))
  })
  connection.listen(
    () => {},
    () => {},
  )
  connection.send(bytes, false)
  const head = (await answered).latin1Slice(0, 12)
  if (head !== 'HTTP/1.1 200') throw new Error(`a stream was answered with ${head}`)
  held.push(connection)
}

const OPENERS = {
  /** An idle session; its connection is closed. */
  async session({ target, opening }) {
    const { connection } = await openConnection(target, opening)
    connection.close()
  },
  /** A session with its standalone stream. */
  async standing({ target, opening, version }) {
    const { connection, headers } = await openConnection(target, opening)
    await openStream(connection, Buffer.from(getText(target, { ...headers, ...version }), 'latin1'))
  },
  /** A subscription stream of 2026-07-28. */
  async listen({ target, request }) {
    const connection = new Connection(target)
    await connection.ready()
    const { stamp } = createRequest(postText(target, request))
    await openStream(connection, stamp(10_000_000 + held.length))
  },
}

/** Opens and holds `count` of one kind on a server: `session`, `standing` or `listen`. */
export async function holdMany({ what, count, ...job }) {
  let left = count
  const one = async () => {
    while (left-- > 0) await OPENERS[what](job)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return {}
}

/** Closes everything that is held open. */
export async function letGo() {
  for (const connection of held.splice(0)) connection.close()
  return {}
}
