import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Channel, channelPair } from '../jsonrpc/channel.ts'
import { notification } from '../jsonrpc/message.ts'
import { createClock } from './clock.ts'
import { type ChannelFaults, faultyChannel } from './faulty-channel.ts'
import { type FaultyProxy, type FaultyProxyOptions, faultyProxy } from './faulty-proxy.ts'

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

/** A faulty channel, what arrived at its far end and at itself, and whether they are closed. */
function joined(faults: ChannelFaults): { near: Channel; far: Channel; there: unknown[]; here: unknown[] } {
  const [left, far] = channelPair()
  const near = faultyChannel(left, faults)
  const there: unknown[] = []
  const here: unknown[] = []
  const method = (received: any): unknown => received.value.method
  far.receive(
    (received) => there.push(method(received)),
    () => there.push('closed'),
  )
  near.receive(
    (received) => here.push(method(received)),
    () => here.push('closed'),
  )
  return { near, far, there, here }
}

const sendAll = (channel: Channel, ...methods: string[]): void => {
  for (const method of methods) void channel.send(notification(method))
}

describe('a faulty channel', () => {
  test('without faults changes nothing', async () => {
    const { near, far, there, here } = joined({})
    sendAll(near, 'a', 'b')
    sendAll(far, 'c')
    await turn()
    await near.close()
    await turn()
    expect([there, here]).toEqual([
      ['a', 'b', 'closed'],
      ['c', 'closed'],
    ])
  })

  test('drops and repeats, each direction for itself', async () => {
    const { near, far, there, here } = joined({
      sent: { drop: (_message, index) => index === 1, repeat: (message) => (message as any).method === 'c' },
      received: { drop: () => true },
    })
    sendAll(near, 'a', 'b', 'c')
    sendAll(far, 'd')
    await turn()
    expect([there, here]).toEqual([['a', 'c', 'c'], []])
  })

  test('delays, and keeps the order', async () => {
    const clock = createClock()
    const { near, there } = joined({
      sent: { delayMs: (_message, index) => (index === 0 ? 100 : 0) },
      setTimeout: clock.setTimeout,
    })
    sendAll(near, 'slow', 'fast')
    await clock.advance(99)
    expect(there).toEqual([])
    await clock.advance(1)
    expect(there).toEqual(['slow', 'fast'])
  })

  test('ends at a message', async () => {
    const { near, there, here } = joined({ sent: { endAt: 2 } })
    sendAll(near, 'a', 'b', 'c', 'd')
    await turn()
    expect([there, here]).toEqual([['a', 'b', 'closed'], ['closed']])
  })
})

describe('a faulty proxy', () => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  /** A proxy to a server that gives back what it gets. */
  async function start(faults: Omit<FaultyProxyOptions, 'target'> = {}): Promise<FaultyProxy> {
    const echo = createServer((socket) => {
      socket.on('error', () => {})
      socket.pipe(socket)
    })
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => echo.close(resolve)))
    const proxy = await faultyProxy({ ...faults, target: `http://127.0.0.1:${(echo.address() as AddressInfo).port}/mcp?x=1` })
    cleanups.push(proxy.close)
    return proxy
  }

  function dial({ port }: FaultyProxy): {
    socket: Socket
    chunks: string[]
    until(length: number): Promise<string>
    closed: Promise<string>
  } {
    const socket = connect(port, '127.0.0.1')
    const chunks: string[] = []
    let error = 'no error'
    socket.on('error', (reason: Error & { code?: string }) => (error = reason.code ?? ''))
    socket.on('data', (chunk) => chunks.push(chunk.toString()))
    const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(error)))
    const until = async (length: number): Promise<string> => {
      while (chunks.join('').length < length) await new Promise((resolve) => socket.once('data', resolve))
      return chunks.join('')
    }
    cleanups.push(() => socket.destroy())
    return { socket, chunks, until, closed }
  }

  test('without faults carries bytes and ends', async () => {
    const proxy = await start()
    expect(proxy.url).toBe(`http://127.0.0.1:${proxy.port}/mcp?x=1`)
    const { socket, until, closed } = dial(proxy)
    socket.end('x'.repeat(100_000))
    expect(await until(100_000)).toHaveLength(100_000)
    expect(await closed).toBe('no error')
    expect([proxy.made, proxy.open]).toEqual([1, 0])
  })

  test('splits and delays', async () => {
    const proxy = await start({ toClient: { splitBytes: 1, delayMs: 5 } })
    const { socket, chunks, until } = dial(proxy)
    const startedAt = performance.now()
    socket.write('abcd')
    expect(await until(4)).toBe('abcd')
    expect(chunks).toEqual(['a', 'b', 'c', 'd'])
    expect(performance.now() - startedAt).toBeGreaterThan(15)
  })

  test('resets in the middle, and is mended', async () => {
    const proxy = await start({ toClient: { resetAfterBytes: 3 } })
    const first = dial(proxy)
    first.socket.write('abcd')
    expect(await first.closed).toBe('ECONNRESET')
    expect(first.chunks.join('').length).toBeLessThanOrEqual(3)
    proxy.set({})
    const second = dial(proxy)
    second.socket.write('abcd')
    expect(await second.until(4)).toBe('abcd')
    proxy.cut()
    expect(await second.closed).toBe('ECONNRESET')
  })

  test('drops what follows and stays open; faults count at once', async () => {
    const proxy = await start({ toServer: { dropAfterBytes: 2 } })
    const { socket, until, chunks } = dial(proxy)
    socket.write('abcd')
    await until(2)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect([chunks.join(''), socket.destroyed]).toEqual(['ab', false])
    proxy.set({})
    socket.write('ef')
    expect(await until(4)).toBe('abef')
  })

  test('refuses', async () => {
    const proxy = await start({ refuse: true })
    expect(await dial(proxy).closed).toBe('ECONNRESET')
  })
})
