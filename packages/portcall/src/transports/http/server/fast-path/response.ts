import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * Creates a response of `node:http` on a connection that Node's server does not own. It forwards the events of the socket as Node's server
 * would do.
 */
export function createResponse(socket: Socket, onFinish: () => void): ServerResponse {
  const response = new ServerResponse(REQUEST)
  const onDrain = (): void => void response.emit('drain')
  const onTimeout = (): void => void response.emit('timeout', socket)
  response.assignSocket(socket)
  socket.on('drain', onDrain).on('timeout', onTimeout)
  response.once('finish', () => {
    socket.off('drain', onDrain).off('timeout', onTimeout).setTimeout(0)
    response.detachSocket(socket)
    response.destroyed = true
    response.emit('close')
    onFinish()
  })
  return response
}

/** Stands for every request: a response reads only these members of it. */
const REQUEST = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', httpVersionMajor: 1, httpVersionMinor: 1 })
