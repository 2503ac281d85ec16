import type { JsonObject, RequestId } from 'portcall/jsonrpc'
import type { Receive, Wire } from '../support/wire.ts'

/** A line-by-line transcript of the messages on a wire. */
export interface Transcript {
  lines(): string
  /** Wraps the wire of a driver and records its messages. */
  record(open: (receive: Receive) => Promise<Wire>): (receive: Receive) => Promise<Wire>
}

/** Values that differ between runs, and values that are the same in every request. */
const SHORTENED: Record<string, string> = {
  requestState: '<state>',
  elicitationId: '<id>',
  'io.modelcontextprotocol/clientInfo': '<info>',
  'io.modelcontextprotocol/clientCapabilities': '<capabilities>',
}

const steady = (key: string, value: unknown): unknown => SHORTENED[key] ?? value

/**
 * Creates a recorder. On a pipe the transcript is in the order of the messages. Over HTTP, with several concurrent streams, it lists each
 * exchange separately: the request, the response, and the status. Messages that the server initiated come last.
 */
export function createTranscript(): Transcript {
  const exchanges: string[][] = []
  const unasked: string[] = []
  const byId = new Map<RequestId, string[]>()
  const formatLine = (line: JsonObject): string => JSON.stringify(line, steady)

  return {
    lines: () => `${[...exchanges.flat(), ...unasked].join('\n')}\n`,
    record: (open) => async (receive) => {
      const wire = await open((message, about) => {
        const exchange = about === undefined ? wire.listen && unasked : byId.get(about)
        ;(exchange ?? exchanges[0])?.push(formatLine({ server: message }))
        receive(message, about)
      })
      return {
        ...wire,
        async send(message, options) {
          const { headers = {} } = options ?? {}
          const line = formatLine(Object.keys(headers).length > 0 ? { client: message, headers } : { client: message })
          const exchange = (!wire.listen && exchanges[0]) || []
          if (exchange.push(line) === 1) exchanges.push(exchange)
          if (!Array.isArray(message) && 'method' in message && 'id' in message) byId.set(message.id, exchange)
          const sent = await wire.send(message, options)
          if (sent)
            exchange.push(
              formatLine({
                status: sent.status,
                type: sent.headers.get('content-type'),
                session: sent.headers.has('mcp-session-id'),
              }),
            )
          return sent
        },
      }
    },
  }
}
