/** A client that reports the state of its connection and the server's log messages. */
import { type Client, type ConnectTarget, connect } from 'portcall/client'

export function connectWatched(target: ConnectTarget, log: (text: string) => void): Promise<Client> {
  return connect(target, {
    logLevel: 'info',
    onEvent: (event) => {
      if (event.type === 'disconnected') log(`disconnected: ${event.error}`)
      else if (event.type === 'reconnected') log('reconnected')
      else if (event.type === 'log') log(`${event.level} ${JSON.stringify(event.data)}`)
      else if (event.type === 'unexpected-message') log(`${event.kind}: ${event.text}`)
      else log(event.message)
    },
  })
}
