import type { JsonObject, RequestId } from 'portcall/jsonrpc'
import type { Receive, Wire } from '../support/wire.ts'

/** What a conversation looked like on the wire, line by line. */
export interface Transcript {
  lines(): string
  /** Puts the recorder between a driver and its wire. */
  record(open: (receive: Receive) => Promise<Wire>): (receive: Receive) => Promise<Wire>
}

/** What differs from one run to the next, and what is the same in every request. */
const SHORTENED: Record<string, string> = {
  requestState: '<state>',
  elicitationId: '<id>',
  'io.modelcontextprotocol/clientInfo': '<info>',
  'io.modelcontextprotocol/clientCapabilities': '<capabilities>',
}

const steady = (key: string, value: unknown): unknown => SHORTENED[key] ?? value

/**
 * Makes a recorder. A pipe is told in the order of its messages. Over HTTP, where several streams run at a time, each exchange is told
 * on its own: what was posted, what came back, and how it ended; what the server said of its own accord comes last.
 */
export function createTranscript(): Transcript {
  const exchanges: string[][] = []
  const unasked: string[] = []
  const byId = new Map<RequestId, string[]>()
  const tell = (line: JsonObject): string => JSON.stringify(line, steady)

  return {
    lines: () => `${[...exchanges.flat(), ...unasked].join('\n')}\n`,
    record: (open) => async (receive) => {
      const wire = await open((message, about) => {
        const exchange = about === undefined ? wire.listen && unasked : byId.get(about)
        ;(exchange ?? exchanges[0])?.push(tell({ server: message }))
        receive(message, about)
      })
      return {
        ...wire,
        async send(message, options) {
          const { headers = {} } = options ?? {}
          const line = tell(Object.keys(headers).length > 0 ? { client: message, headers } : { client: message })
          const exchange = (!wire.listen && exchanges[0]) || []
          if (exchange.push(line) === 1) exchanges.push(exchange)
          if (!Array.isArray(message) && 'method' in message && 'id' in message) byId.set(message.id, exchange)
          const sent = await wire.send(message, options)
          if (sent)
            exchange.push(
              tell({ status: sent.status, type: sent.headers.get('content-type'), session: sent.headers.has('mcp-session-id') }),
            )
          return sent
        },
      }
    },
  }
}
