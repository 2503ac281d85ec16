/** Three programs on one store behind a load balancer that looks at `/readyz`, restarted one after another under load. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startBalancer } from '../scale/support/balancer.ts'
import { openWorkers, runCalls, violationsOf, whenBusy } from '../scale/support/work.ts'
import { callSteadily } from './support/calls.ts'
import { killServers, type ServerProcess, startServer } from './support/program.ts'

const PROGRAMS = 3
const CALL_EVERY_MS = 20
const CHECK_EVERY_MS = 50
const SHUTDOWN_DELAY_MS = 2000

afterEach(killServers)

/** Keeps the list of the processes that are ready, as a load balancer does. */
async function watchReadiness(programs: ReadonlySet<ServerProcess>, ready: ServerProcess[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const checked = [...programs].map(async (program) => {
      const isReady = await fetch(new URL('/readyz', program.url)).then(
        ({ ok }) => ok,
        () => false,
      )
      return { program, isReady }
    })
    const current = await Promise.all(checked)
    // The balancer reads the same list.
    ready.splice(0, ready.length, ...current.filter(({ isReady }) => isReady).map(({ program }) => program))
    await sleep(CHECK_EVERY_MS)
  }
}

test.skipIf(process.platform === 'win32').each([{ workers: 1 }, { workers: 2 }])(
  'a rolling restart of programs with $workers workers at 50 calls a second loses no modern call and no acknowledged event of a session',
  { timeout: 240_000 },
  async ({ workers }) => {
    const folder = await mkdtemp(join(tmpdir(), 'portcall-rolling-'))
    const start = () => startServer({ shutdownDelayMs: SHUTDOWN_DELAY_MS, workers }, { STORES: join(folder, 'sessions.db') })
    const programs = new Set<ServerProcess>()
    for (let index = 0; index < PROGRAMS; index++) programs.add(await start())
    const ready: ServerProcess[] = []
    const stop = new AbortController()
    const watching = watchReadiness(programs, ready, stop.signal)
    while (ready.length < PROGRAMS) await sleep(CHECK_EVERY_MS)
    const balancer = await startBalancer(ready)
    onTestFinished(async () => {
      stop.abort()
      await balancer.close()
      await rm(folder, { recursive: true, force: true })
    })

    const steady = callSteadily(balancer.url, CALL_EVERY_MS, stop.signal)
    const clients = await openWorkers(balancer.url, 'r', 4)
    let isRestarting = true
    const callUntilRestarted = async (worker: (typeof clients)[0]): Promise<void> => {
      const { client, records } = worker
      const uri = `note://${client.name}`
      while (isRestarting) {
        await runCalls(worker, 1)
        // A stream that continues at another process repeats notifications rather than losing one.
        const { length } = client.received
        records.push(await client.call('update', { mark: 'updated', uri }))
        await eventually(() => expect(client.received.slice(length)).toContain(uri))
      }
    }
    const running = Promise.all(clients.map(callUntilRestarted))
    await whenBusy(clients)
    for (const program of [...programs]) {
      programs.add(await start())
      while (ready.length < programs.size) await sleep(CHECK_EVERY_MS)
      program.process.kill('SIGTERM')
      expect(await program.exited).toBe(0)
      programs.delete(program)
    }
    isRestarting = false
    await running
    stop.abort()
    await watching
    const calls = await steady
    expect(calls.length).toBeGreaterThan(100)
    expect(calls.filter(({ failure }) => failure !== undefined)).toEqual([])
    expect(clients.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, false)))).toEqual([])
    expect(clients.flatMap(({ failed, client }) => [...failed, ...client.misrouted])).toEqual([])
  },
)
