import type { Channel } from '../jsonrpc/channel.ts'
import { deriveContext, type Exchange, type ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import { createRecordingHeader } from './header.ts'
import { type Recording, type RecordingEvent, receivedEvent } from './recording.ts'
import { createRedactor } from './redact.ts'

/** Options of `recordChannel` and `recordExchange`. */
export interface RecordOptions {
  /**
   * Names of additional members whose values are redacted. Authorization headers, cookies, tokens, passwords, session IDs and
   * `requestState` are always redacted.
   */
  readonly redact?: readonly string[]
  /** Called with each line as it is recorded, without the line break. */
  readonly onLine?: (line: string) => void
  /** Returns the current time, in milliseconds. */
  readonly now?: () => number
}

/** Records a channel. Messages that go through `send` are `sent`. Use the returned channel in place of the original one. */
export function recordChannel(channel: Channel, options: RecordOptions = {}): Channel & Recording {
  const { recording, write } = createRecorder(options)
  return {
    ...recording,
    send(message) {
      write({ direction: 'sent', message })
      return channel.send(message)
    },
    receive(onReceived, onClose) {
      channel.receive(
        (input) => {
          write(receivedEvent(input))
          onReceived(input)
        },
        (reason) => {
          write({ direction: 'received', closed: true })
          onClose(reason)
        },
      )
    },
    close() {
      write({ direction: 'sent', closed: true })
      return channel.close()
    },
  }
}

/**
 * Records an Exchange. Requests are `sent`; responses, notifications and server requests are `received`. Use the returned Exchange in
 * place of the original one.
 */
export function recordExchange(exchange: Exchange, options: RecordOptions = {}): Exchange & Recording {
  const { recording, write } = createRecorder(options)
  let serverRequests = 0

  const recordAsk = ({ id }: Request, ask: NonNullable<ExchangeContext['ask']>): NonNullable<ExchangeContext['ask']> => {
    return async (method, params) => {
      const serverRequest: Request = { jsonrpc: '2.0', id: `server-${++serverRequests}`, method, ...(params && { params }) }
      write({ direction: 'received', message: serverRequest, for: id })
      const response = await ask(method, params)
      write({ direction: 'sent', message: { ...response, id: serverRequest.id }, for: id })
      return response
    }
  }
  const recorded: Exchange = async (request, context) => {
    write({ direction: 'sent', message: request })
    const { ask } = context
    const notify: ExchangeContext['notify'] = (message) => {
      write({ direction: 'received', message, for: request.id })
      return context.notify(message)
    }
    const response = await exchange(request, deriveContext(context, { notify, ...(ask && { ask: recordAsk(request, ask) }) }))
    write({ direction: 'received', message: response })
    return response
  }
  return Object.assign(recorded, recording)
}

interface Recorder {
  readonly recording: Recording
  write(event: RecordingEvent): void
}

function createRecorder({ redact, onLine, now = () => performance.now() }: RecordOptions): Recorder {
  const lines: string[] = []
  const redactMessage = createRedactor(redact)
  const startedAt = now()
  return {
    recording: { lines, text: () => [createRecordingHeader(), ...lines].map((line) => `${line}\n`).join('') },
    write({ message, ...event }) {
      const time = Math.round(1000 * (now() - startedAt)) / 1000
      const line = JSON.stringify({ time, ...event, ...(message && { message: redactMessage(message) }) })
      lines.push(line)
      onLine?.(line)
    },
  }
}
