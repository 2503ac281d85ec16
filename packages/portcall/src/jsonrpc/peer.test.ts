import { describe, expect, test } from 'vitest'
import type { Channel, ChannelInput } from './channel.ts'
import { type Request, success } from './message.ts'
import { createPeer } from './peer.ts'

const request = (id: number): Request => ({ jsonrpc: '2.0', id, method: 'm' })

/** A peer that answers `m` when it is told to. Its other side can end while responses can still be sent, as with stdin and stdout. */
function startPeer() {
  const log: unknown[] = []
  const running = new Map<unknown, () => void>()
  let receive = (_input: ChannelInput): void => {}
  let end = (): void => {}
  const channel: Channel = {
    send: (message) => void log.push(message),
    receive(onReceived, onClose) {
      receive = onReceived
      end = onClose
    },
    close: async () => {},
  }
  const peer = createPeer(channel, {
    async exchange({ id }) {
      await new Promise<void>((resolve) => void running.set(id, resolve))
      return success(id, { id })
    },
    acceptsBatches: () => true,
    onClose: () => void log.push('closed'),
  })
  const finish = (...ids: number[]): void => {
    for (const id of ids) running.get(id)?.()
  }
  return { peer, log, receive: (value: unknown) => receive({ value }), end: () => end(), finish }
}

const settle = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))
const answer = (id: number) => success(id, { id })

describe('the end of the other side waits', () => {
  test('for the responses to requests', async () => {
    const { log, receive, end, finish } = startPeer()
    receive(request(1))
    receive(request(2))
    end()
    finish(2)
    await settle()
    expect(log).toEqual([answer(2)])
    finish(1)
    await settle()
    expect(log).toEqual([answer(2), answer(1), 'closed'])
  })

  test('for the response to a batch', async () => {
    const { log, receive, end, finish } = startPeer()
    receive([request(1), request(2)])
    end()
    finish(1, 2)
    await settle()
    expect(log).toEqual([[answer(1), answer(2)], 'closed'])
  })

  test('for nothing if nothing is being answered', async () => {
    const { log, receive, end } = startPeer()
    receive({ jsonrpc: '2.0', method: 'n' })
    receive([{ jsonrpc: '2.0', method: 'n' }])
    await settle()
    end()
    await settle()
    expect(log).toEqual(['closed'])
  })
})

test('a cancelled request and a batch of cancelled requests are not waited for once they have ended', async () => {
  const { peer, log, receive, end, finish } = startPeer()
  receive(request(1))
  receive([request(2), request(3)])
  end()
  peer.cancelAll()
  finish(1, 2, 3)
  await settle()
  expect(log).toEqual(['closed'])
})

test('whenIdle resolves when all has been answered, each time', async () => {
  const { peer, log, receive, finish } = startPeer()
  await peer.whenIdle()
  for (const [first, second] of [
    [1, 2],
    [3, 4],
  ] as const) {
    receive(request(first))
    receive([request(second)])
    void peer.whenIdle().then(() => log.push('idle'))
    finish(first)
    await settle()
    finish(second)
    await peer.whenIdle()
  }
  expect(log).toEqual([answer(1), [answer(2)], 'idle', answer(3), [answer(4)], 'idle'])
})

test('a request that is cancelled does not hold back the responses to the rest of its batch, but is waited for', async () => {
  const { peer, log, receive, end, finish } = startPeer()
  receive([request(1), request(2), request(3)])
  finish(2, 3)
  await settle()
  expect(log).toEqual([])
  peer.cancel(1)
  await settle()
  expect(log).toEqual([[answer(2), answer(3)]])
  end()
  await settle()
  expect(log).toHaveLength(1)
  finish(1)
  await settle()
  expect(log).toEqual([[answer(2), answer(3)], 'closed'])
})
