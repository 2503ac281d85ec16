import type { ChildProcess } from 'node:child_process'
import type { Channel } from '../../client.ts'

/** Either end of the way between a process and its child. */
export type Port = Pick<ChildProcess, 'connected' | 'send' | 'disconnect' | 'on' | 'once'>

/** Makes a channel of it. */
export function ipcChannel(port: Port): Channel {
  return {
    send(message) {
      if (port.connected) port.send(message, () => {})
    },
    receive(onReceived, onClose) {
      port.on('message', (value) => onReceived({ value }))
      port.once('disconnect', () => onClose())
    },
    async close() {
      if (port.connected) port.disconnect()
    },
  }
}
