import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Channel } from 'portcall/jsonrpc'

/** Creates a channel on a socket: one JSON message a line. */
export function socketChannel(socket: Socket): Channel {
  return {
    send(message) {
      if (socket.destroyed || socket.write(`${JSON.stringify(message)}\n`)) return
      return Promise.race([once(socket, 'drain'), once(socket, 'close')]).then(() => {})
    },
    receive(onInput, onClose) {
      let failure: Error | undefined
      socket.on('error', (error) => {
        failure = error
      })
      socket.on('close', () => onClose(failure))
      createInterface({ input: socket }).on('line', (line) => {
        try {
          onInput({ value: JSON.parse(line) })
        } catch {
          onInput({ unreadable: 'syntax' })
        }
      })
    },
    get bufferedBytes() {
      return socket.writableLength
    },
    close: () => new Promise((resolve) => void socket.end(() => resolve())),
  }
}
