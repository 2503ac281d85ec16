import type { Channel } from '../jsonrpc/channel.ts'
import { deriveContext, type Exchange, type ExchangeContext } from '../jsonrpc/exchange.ts'
import type { Request } from '../jsonrpc/message.ts'
import { type Event, type Recording, receivedEvent } from './recording.ts'
import { createRedaction } from './redact.ts'

/** What is left out of a recording, and who hears of it. */
export interface RecordOptions {
  /** More members whose values are secret. Authorization, cookies, tokens, passwords, session ids and `requestState` always are. */
  readonly redact?: readonly string[]
  /** Gets each line as it is written, without its end. */
  readonly onLine?: (line: string) => void
  /** Tells the time, in milliseconds. */
  readonly now?: () => number
}

/** Records a channel: what goes in at this end is `sent`. Use what it returns in its place. */
export function recordChannel(channel: Channel, options: RecordOptions = {}): Channel & Recording {
  const { recording, write } = startRecording(options)
  return {
    ...recording,
    send(message) {
      write({ direction: 'sent', message })
      return channel.send(message)
    },
    receive(onReceived, onClose) {
      channel.receive(
        (received) => {
          write(receivedEvent(received))
          onReceived(received)
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

/** Records an Exchange: requests are `sent`, what comes of them is `received`. Use what it returns in its place. */
export function recordExchange(exchange: Exchange, options: RecordOptions = {}): Exchange & Recording {
  const { recording, write } = startRecording(options)
  let questions = 0

  const asking = ({ id }: Request, ask: NonNullable<ExchangeContext['ask']>): NonNullable<ExchangeContext['ask']> => {
    return async (method, params) => {
      const question: Request = { jsonrpc: '2.0', id: `ask ${++questions}`, method, ...(params && { params }) }
      write({ direction: 'received', message: question, for: id })
      const answer = await ask(method, params)
      write({ direction: 'sent', message: { ...answer, id: question.id }, for: id })
      return answer
    }
  }
  const recorded: Exchange = async (request, context) => {
    write({ direction: 'sent', message: request })
    const { ask } = context
    const notify: ExchangeContext['notify'] = (message) => {
      write({ direction: 'received', message, for: request.id })
      return context.notify(message)
    }
    const response = await exchange(request, deriveContext(context, { notify, ...(ask && { ask: asking(request, ask) }) }))
    write({ direction: 'received', message: response })
    return response
  }
  return Object.assign(recorded, recording)
}

interface Running {
  readonly recording: Recording
  write(event: Event): void
}

function startRecording({ redact, onLine, now = () => performance.now() }: RecordOptions): Running {
  const lines: string[] = []
  const withoutSecrets = createRedaction(redact)
  const startedAt = now()
  return {
    recording: { lines, text: () => lines.map((line) => `${line}\n`).join('') },
    write({ message, ...event }) {
      const time = Math.round(1000 * (now() - startedAt)) / 1000
      const line = JSON.stringify({ time, ...event, ...(message && { message: withoutSecrets(message) }) })
      lines.push(line)
      onLine?.(line)
    },
  }
}
