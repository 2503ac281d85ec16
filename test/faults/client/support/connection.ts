import { type Client, type ClientEvent, type ConnectOptions, type ConnectTarget, connect } from 'portcall/client'
import { expect, onTestFinished } from 'vitest'
import { until, within } from '../../support/time.ts'
import { createTestGateway, isThroughGateway, upstreamErrorOf } from './through-gateway.ts'

/** A client and the events it has emitted. */
export interface ConnectedClient {
  readonly client: Client
  readonly events: ClientEvent[]
  /** Returns the types of the emitted events. */
  readonly kinds: () => string[]
}

/** Connects until the test ends, through a gateway if `FAULTS_UPSTREAM` is set. Connecting and closing must take at most a few seconds. */
export async function open(target: ConnectTarget, options: ConnectOptions = {}): Promise<ConnectedClient> {
  const events: ClientEvent[] = []
  const onEvent = (event: ClientEvent): void => {
    events.push(event)
    options.onEvent?.(event)
  }
  const through = isThroughGateway ? createTestGateway(target, { ...options, onEvent }) : undefined
  const opening = connect(through?.gateway ?? target, { ...(through?.options ?? options), onEvent })
  const client = await within(10_000, opening, 'the connection')
  if (through) actForGateway(client as Client, through.gateway)
  onTestFinished(() => within(5000, client.close(), 'the end of the client'))
  return { client: client as Client, events, kinds: () => events.map(({ type }) => type) }
}

/** Makes the client close the gateway, too, and calls of tools fail with the error of the server that the gateway reports. */
function actForGateway(client: Client, gateway: { close(): Promise<void> }): void {
  const [close, callTool] = [client.close.bind(client), client.callTool.bind(client)]
  Object.assign(client, {
    async close() {
      await close()
      await gateway.close()
    },
    callTool: (...args: Parameters<typeof callTool>) =>
      callTool(...args).catch((error: unknown) => {
        throw upstreamErrorOf(error) ?? error
      }),
  })
}

/** Expects that the client has reported these kinds of events. Behind a gateway it does not notice that the server was lost. */
export function expectLosses(kinds: readonly string[], ...expected: string[]): void {
  if (!isThroughGateway) expect(kinds).toEqual(expect.arrayContaining(expected))
}

/** Waits until the client has noticed that the server was lost. Behind a gateway it does not. */
export async function untilLost(client: Client): Promise<void> {
  if (!isThroughGateway) await until(() => client.status === 'disconnected', 'the loss')
}

/** Returns the event that reports an item which is left out of a list. That of a gateway does not name the method. */
export function itemWarning(method: string, message: string): object {
  return isThroughGateway ? { type: 'warning', message } : { type: 'warning', message, method }
}

/** Returns the event that reports a list which does not end by itself. */
export function endWarning(method: string, message: string): object {
  return { type: 'warning', message, method }
}

/** Returns the error of a promise that must reject in time. */
export async function failureOf(promise: Promise<unknown>, ms = 3000): Promise<Error & { code?: unknown; retryable?: unknown }> {
  const outcome = await within(
    ms,
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    'the failure',
  )
  if ('value' in outcome) throw new Error(`Expected a rejection, but the promise resolved to ${JSON.stringify(outcome.value)}`)
  return upstreamErrorOf(outcome.error) ?? (outcome.error as Error)
}

/** Calls a tool and returns its text. */
export async function call(client: Client, name = 'echo', args: Record<string, unknown> = {}, ms = 5000): Promise<string> {
  const { content } = await within(ms, client.callTool(name, args as never), `the answer of ${name}`)
  const [block] = content as Array<{ text?: string }>
  return block?.text ?? ''
}

/** Expects that the client still works. */
export async function healthy(client: Client): Promise<void> {
  expect(await call(client, 'echo', {}, 3000)).toBe('fine')
}

/** Collects the changes of a subscription as short texts. */
export function collect(changes: AsyncIterable<{ type: string; uri?: string }>): string[] {
  const collected: string[] = []
  void (async () => {
    for await (const { type, uri } of changes) collected.push(uri === undefined ? type : `${type} ${uri}`)
  })().catch((error: unknown) => collected.push(`error ${String(error)}`))
  return collected
}
