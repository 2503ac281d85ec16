import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { connect } from '../connect/connect.ts'
import { events as clientEvents } from '../events/client/extension.ts'
import { events } from '../events/server/extension.ts'
import { MODERN_VERSION } from '../protocol/revisions.ts'
import { createServer } from '../server/server.ts'
import { connectPair } from '../testing/pair/pair.ts'
import { recordChannel } from './record.ts'
import { replayChannel } from './replay.ts'

test.each(['poll', 'push'] as const)(
  'events that arrive by %s are recorded, and arrive again from the recording',
  async (mode) => {
    const server = createServer({ name: 'shop', version: '1' }, { extensions: [events({ limits: { pollIntervalMs: 10 } })] })
    const created = server.event('order.created', { description: 'A new order.', payload: z.object({ id: z.string() }) })
    let recording: ReturnType<typeof recordChannel> | undefined
    const receive = async (client: Awaited<ReturnType<typeof open>>, emit?: () => Promise<unknown>): Promise<string[]> => {
      const ids: string[] = []
      const subscription = await client.events.on(
        'order.created',
        {},
        ({ eventId }, { close }) => {
          ids.push(eventId)
          if (ids.length === 2) void close()
        },
        { mode },
      )
      await emit?.()
      await subscription.ended
      return ids
    }
    const extensions = () => [clientEvents({ minPollDelayMs: 1 })] as const
    const open = () =>
      connectPair(server, {
        extensions: extensions(),
        wrapChannel: (channel) => (recording = recordChannel(channel)),
      })
    const live = await open()
    const emit = async (): Promise<void> => {
      await created.emit({ id: '1' }, { eventId: 'one' })
      await created.emit({ id: '2' }, { eventId: 'two' })
    }
    expect(await receive(live, emit)).toEqual(['one', 'two'])
    await live.close()
    server.close()

    const replayed = await connect(replayChannel(recording?.text() ?? '', { as: 'server' }), {
      extensions: extensions(),
      protocolVersion: MODERN_VERSION,
    })
    onTestFinished(() => replayed.close())
    expect(await receive(replayed as never)).toEqual(['one', 'two'])
  },
  30_000,
)
