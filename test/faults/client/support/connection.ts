import { type Client, type ClientEvent, type ConnectOptions, connect, type Target } from 'portcall/client'
import { expect, onTestFinished } from 'vitest'
import { within } from '../../support/time.ts'

/** A client, and what it told its host. */
export interface Host {
  readonly client: Client
  readonly events: ClientEvent[]
  /** The kinds of events that came. */
  readonly kinds: () => string[]
}

/** Connects until the test is over. It has to be there within some seconds, and to go away as fast. */
export async function open(target: Target, options: ConnectOptions = {}): Promise<Host> {
  const events: ClientEvent[] = []
  const onEvent = (event: ClientEvent): void => {
    events.push(event)
    options.onEvent?.(event)
  }
  const client = await within(10_000, connect(target, { ...options, onEvent }), 'the connection')
  onTestFinished(() => within(5000, client.close(), 'the end of the client'))
  return { client: client as Client, events, kinds: () => events.map(({ type }) => type) }
}

/** The error of something that has to fail, and that in time. */
export async function failureOf(promise: Promise<unknown>, ms = 3000): Promise<Error & { code?: unknown; retryable?: unknown }> {
  const outcome = await within(
    ms,
    promise.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
    'the failure',
  )
  if ('value' in outcome) throw new Error(`It did not fail, but gave ${JSON.stringify(outcome.value)}`)
  return outcome.error as Error
}

/** The text that a tool says. */
export async function call(client: Client, name = 'echo', args: Record<string, unknown> = {}, ms = 5000): Promise<string> {
  const { content } = await within(ms, client.callTool(name, args as never), `the answer of ${name}`)
  const [block] = content as Array<{ text?: string }>
  return block?.text ?? ''
}

/** The client still works. */
export async function healthy(client: Client): Promise<void> {
  expect(await call(client, 'echo', {}, 3000)).toBe('fine')
}

/** Waits for changes that a subscription delivers, and gives them as short texts. */
export function collect(changes: AsyncIterable<{ type: string; uri?: string }>): string[] {
  const seen: string[] = []
  void (async () => {
    for await (const { type, uri } of changes) seen.push(uri === undefined ? type : `${type} ${uri}`)
  })().catch((error: unknown) => seen.push(`error ${String(error)}`))
  return seen
}
