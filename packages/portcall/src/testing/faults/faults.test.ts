import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { type Channel, channelPair } from '../../jsonrpc/channel.ts'
import { notification } from '../../jsonrpc/message.ts'
import { createFakeClock } from '../fake-clock.ts'
import { type ChannelFaults, faultyChannel } from './faulty-channel.ts'
import { type FaultyProxy, type FaultyProxyOptions, faultyProxy } from './faulty-proxy.ts'

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

interface JoinedChannels {
  readonly local: Channel
  readonly remote: Channel
  readonly remoteReceived: unknown[]
  readonly localReceived: unknown[]
}

/** Creates a faulty channel and its remote end, and records what each of them receives. */
function createJoined(faults: ChannelFaults): JoinedChannels {
  const [channel, remote] = channelPair()
  const local = faultyChannel(channel, faults)
  const remoteReceived: unknown[] = []
  const localReceived: unknown[] = []
  const method = (received: any): unknown => received.value.method
  remote.receive(
    (received) => remoteReceived.push(method(received)),
    () => remoteReceived.push('closed'),
  )
  local.receive(
    (received) => localReceived.push(method(received)),
    () => localReceived.push('closed'),
  )
  return { local, remote, remoteReceived, localReceived }
}

const sendAll = (channel: Channel, ...methods: string[]): void => {
  for (const method of methods) void channel.send(notification(method))
}

describe('a faulty channel', () => {
  test('without faults passes everything', async () => {
    const { local, remote, remoteReceived, localReceived } = createJoined({})
    sendAll(local, 'a', 'b')
    sendAll(remote, 'c')
    await turn()
    await local.close()
    await turn()
    expect([remoteReceived, localReceived]).toEqual([
      ['a', 'b', 'closed'],
      ['c', 'closed'],
    ])
  })

  test('drops and duplicates messages, independently in each direction', async () => {
    const { local, remote, remoteReceived, localReceived } = createJoined({
      sent: { drop: (_message, index) => index === 1, duplicate: (message) => (message as any).method === 'c' },
      received: { drop: () => true },
    })
    sendAll(local, 'a', 'b', 'c')
    sendAll(remote, 'd')
    await turn()
    expect([remoteReceived, localReceived]).toEqual([['a', 'c', 'c'], []])
  })

  test('delays messages and preserves their order', async () => {
    const clock = createFakeClock()
    const { local, remoteReceived } = createJoined({
      sent: { delayMs: (_message, index) => (index === 0 ? 100 : 0) },
      setTimeout: clock.setTimeout,
    })
    sendAll(local, 'slow', 'fast')
    await clock.advance(99)
    expect(remoteReceived).toEqual([])
    await clock.advance(1)
    expect(remoteReceived).toEqual(['slow', 'fast'])
  })

  test('closes at a message', async () => {
    const { local, remoteReceived, localReceived } = createJoined({ sent: { closeAt: 2 } })
    sendAll(local, 'a', 'b', 'c', 'd')
    await turn()
    expect([remoteReceived, localReceived]).toEqual([['a', 'b', 'closed'], ['closed']])
  })
})

describe('a faulty proxy', () => {
  const cleanups: (() => unknown)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  /** Starts a proxy to an echo server. */
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

  function connectTo({ port }: FaultyProxy): {
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

  test('without faults passes bytes and the end', async () => {
    const proxy = await start()
    expect(proxy.url).toBe(`http://127.0.0.1:${proxy.port}/mcp?x=1`)
    const { socket, until, closed } = connectTo(proxy)
    socket.end('x'.repeat(100_000))
    expect(await until(100_000)).toHaveLength(100_000)
    expect(await closed).toBe('no error')
    expect([proxy.totalConnections, proxy.openConnections]).toEqual([1, 0])
  })

  test('splits and delays bytes', async () => {
    const proxy = await start({ toClient: { splitBytes: 1, delayMs: 5 } })
    const { socket, chunks, until } = connectTo(proxy)
    const startedAt = performance.now()
    socket.write('abcd')
    expect(await until(4)).toBe('abcd')
    expect(chunks).toEqual(['a', 'b', 'c', 'd'])
    expect(performance.now() - startedAt).toBeGreaterThan(15)
  })

  test('resets connections until the faults are removed', async () => {
    const proxy = await start({ toClient: { resetAfterBytes: 3 } })
    const first = connectTo(proxy)
    first.socket.write('abcd')
    expect(await first.closed).toBe('ECONNRESET')
    expect(first.chunks.join('').length).toBeLessThanOrEqual(3)
    proxy.setFaults({})
    const second = connectTo(proxy)
    second.socket.write('abcd')
    expect(await second.until(4)).toBe('abcd')
    proxy.resetConnections()
    expect(await second.closed).toBe('ECONNRESET')
  })

  test('drops bytes and leaves the connection open; new faults apply immediately', async () => {
    const proxy = await start({ toServer: { dropAfterBytes: 2 } })
    const { socket, until, chunks } = connectTo(proxy)
    socket.write('abcd')
    await until(2)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect([chunks.join(''), socket.destroyed]).toEqual(['ab', false])
    proxy.setFaults({})
    socket.write('ef')
    expect(await until(4)).toBe('abef')
  })

  test('refuses connections', async () => {
    const proxy = await start({ refuse: true })
    expect(await connectTo(proxy).closed).toBe('ECONNRESET')
  })
})
