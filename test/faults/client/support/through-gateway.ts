import { type ClientEvent, ConnectionLostError, type ConnectOptions, type ConnectTarget } from 'portcall/client'
import { createGateway, type Gateway, type GatewayEvent, type GatewayServerOptions } from 'portcall/gateway'
import { expect, onTestFinished } from 'vitest'

/** A gateway in front of a faulty server, and the options for the client of the gateway. */
export interface TestGateway {
  readonly gateway: Gateway
  readonly options: ConnectOptions
}

/** Tests run through a gateway, whose client stays connected when the server is lost: the gateway connects to it again. */
export const isThroughGateway: boolean = process.env.FAULTS_UPSTREAM !== undefined

/** The method that lists each kind of item. */
const LIST_METHODS = {
  tool: 'tools/list',
  prompt: 'prompts/list',
  resource: 'resources/list',
  template: 'resources/templates/list',
  event: 'events/list',
} as const

/** The error of the last request to the faulty server. */
let lastError: Error | undefined

/** Creates a gateway to a server, which is closed when the test ends. The options that concern the server are its own. */
export function createTestGateway(target: ConnectTarget, options: ConnectOptions): TestGateway {
  const { era, protocolVersion, probeTimeoutMs, connectTimeoutMs, headers, auth, fetch, http, restart: _always, ...own } = options
  const concerning = { era, protocolVersion, probeTimeoutMs, connectTimeoutMs, headers, auth, fetch, http }
  const given = Object.fromEntries(Object.entries(concerning).filter(([, value]) => value !== undefined))
  const server: GatewayServerOptions = {
    target,
    // Some programs answer only when all calls have arrived, which are more than a gateway sends at the same time by default.
    maxRequests: 10_000,
    ...given,
    middleware: [
      (request, context, next) =>
        next(request, context).catch((error: Error) => {
          lastError = error
          throw error
        }),
    ],
  }
  const onEvent = (event: GatewayEvent): void => {
    const reported = clientEventOf(event)
    if (reported) options.onEvent?.(reported)
  }
  const gateway = createGateway({ servers: { server }, names: { mode: 'never' }, singleUser: true, onEvent })
  onTestFinished(() => gateway.close())
  return { gateway, options: own }
}

/** Returns the event with which a client would report the same. */
function clientEventOf(event: GatewayEvent): ClientEvent | undefined {
  if (event.type === 'item-dropped')
    return { type: 'warning', message: `${LIST_METHODS[event.kind]}: "${event.name}" is left out: ${event.reason}` }
  if (event.type !== 'warning') return undefined
  const [, kind, text] = /^Unexpected output \((.*?)\): (.*)$/s.exec(event.message) ?? []
  if (text === undefined) return { type: 'warning', message: event.message }
  return { type: 'unexpected-message', kind, text } as ClientEvent
}

/** Returns the error of the server that an error of the gateway reports. The gateway names neither the command of the server nor paths of URLs. */
export function upstreamErrorOf(error: unknown): (Error & { code?: unknown }) | undefined {
  const { code, data, message } = error as { code?: unknown; data?: { server?: string }; message: string }
  if (code !== -32603 || data?.server !== 'server' || !lastError) return undefined
  const exit = lastError instanceof ConnectionLostError ? lastError.exit : undefined
  const [line = ''] = lastError.message.split('\n')
  expect(message).toContain(exit?.summary ?? line.replaceAll(/(https?:\/\/[^/\s]+)\/mcp/g, '$1'))
  return lastError
}
