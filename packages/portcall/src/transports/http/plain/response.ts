import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'

/**
 * Makes Node's own response for a connection that Node's server has not taken: for streams, and answers that do not leave at once. What
 * concerns the connection is passed on to it as the server would do.
 */
export function createResponse(socket: Socket, onFinish: () => void): ServerResponse {
  const response = new ServerResponse(REQUEST)
  const drained = (): void => void response.emit('drain')
  const stalled = (): void => void response.emit('timeout', socket)
  response.assignSocket(socket)
  socket.on('drain', drained).on('timeout', stalled)
  response.once('finish', () => {
    socket.off('drain', drained).off('timeout', stalled).setTimeout(0)
    response.detachSocket(socket)
    response.destroyed = true
    response.emit('close')
    onFinish()
  })
  return response
}

/** All that a response wants to know of its request, which is the same for all. */
const REQUEST = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', httpVersionMajor: 1, httpVersionMinor: 1 })
