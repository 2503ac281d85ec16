import type { ConnectOptions, ConnectTarget } from 'portcall/client'
import { createGateway, type Gateway, type GatewayServerOptions } from 'portcall/gateway'
import { expect, onTestFinished } from 'vitest'

/** A gateway in front of a faulty server, and the options for the client of the gateway. */
export interface TestGateway {
  readonly gateway: Gateway
  readonly options: ConnectOptions
}

/** What the last request to the faulty server failed with. */
let lastError: Error | undefined

/** Creates a gateway to a server, which is closed when the test ends. The options that concern the server are its own. */
export function createTestGateway(target: ConnectTarget, options: ConnectOptions): TestGateway {
  const { era, protocolVersion, probeTimeoutMs, connectTimeoutMs, headers, auth, fetch, http, restart: _always, ...own } = options
  const concerning = { era, protocolVersion, probeTimeoutMs, connectTimeoutMs, headers, auth, fetch, http }
  const given = Object.fromEntries(Object.entries(concerning).filter(([, value]) => value !== undefined))
  const server: GatewayServerOptions = {
    target,
    ...given,
    middleware: [
      (request, context, next) =>
        next(request, context).catch((error: Error) => {
          lastError = error
          throw error
        }),
    ],
  }
  const gateway = createGateway({ servers: { server }, names: { mode: 'never' }, singleUser: true })
  onTestFinished(() => gateway.close())
  return { gateway, options: own }
}

/** Returns the error of the server that an error of the gateway reports. */
export function upstreamErrorOf(error: unknown): (Error & { code?: unknown }) | undefined {
  const { code, data, message } = error as { code?: unknown; data?: { server?: string }; message: string }
  if (code !== -32603 || data?.server !== 'server' || !lastError) return undefined
  expect(message).toContain(lastError.message.split('\n')[0])
  return lastError
}
