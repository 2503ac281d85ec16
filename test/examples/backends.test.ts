/** The examples of docs/extend/custom-backends.md, against the contracts of storage backends and task queues. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect as connectSocket, createServer as createSocketServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  assertText,
  busContract,
  connectPair,
  createFakeClock,
  logContract,
  queueContract,
  storeContract,
} from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { server } from '../../examples/custom-backends.ts'
import { createEmitterBus } from '../../examples/custom-bus.ts'
import { createMapLog } from '../../examples/custom-log.ts'
import { createSharedQueue } from '../../examples/custom-queue.ts'
import { createMapStore } from '../../examples/custom-store.ts'
import { socketChannel } from '../../examples/custom-transport.ts'
import { compileProgram } from '../support/compile.ts'

describe('custom-store', () => {
  storeContract({
    test,
    create() {
      const clock = createFakeClock()
      return { subject: createMapStore(clock.now), advance: clock.advance }
    },
  })
})

describe('custom-log', () => logContract({ test, create: (bounds) => ({ subject: createMapLog(bounds) }) }))

describe('custom-bus', () => busContract({ test, create: () => ({ subject: createEmitterBus() }) }))

describe('custom-queue', () => queueContract({ test, create: () => ({ subject: createSharedQueue() }) }))

test('custom-backends', async () => {
  const client = await connectPair(server, { transport: 'http', protocolVersion: '2025-11-25' })
  assertText(await client.callTool('ping'), 'pong')
  await client.close()
})

test('custom-transport delivers lines that are not JSON as unreadable input', async () => {
  const listener = createSocketServer((socket) => void socket.end('{"id":1}\nnot JSON\n')).listen(0, '127.0.0.1')
  onTestFinished(() => void listener.close())
  await once(listener, 'listening')
  const channel = socketChannel(connectSocket((listener.address() as AddressInfo).port, '127.0.0.1'))
  const inputs: unknown[] = []
  await new Promise<void>((resolve) =>
    channel.receive(
      (input) => inputs.push(input),
      () => resolve(),
    ),
  )
  expect(inputs).toEqual([{ value: { id: 1 } }, { unreadable: 'syntax' }])
})

test('custom-transport-server', async () => {
  const program = await compileProgram(fileURLToPath(new URL('../../examples/custom-transport-server.ts', import.meta.url)))
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(stdout).toContain("text: 'Hello!'")
})
