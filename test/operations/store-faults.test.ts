/** Faults of a process and of the store that processes share, under load: with several programs behind a balancer, and with workers. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { findDriver } from '../../packages/portcall/src/stores/sqlite/driver.ts'
import { startBalancer } from '../scale/support/balancer.ts'
import { openWorkers, runCalls, violationsOf, whenBusy } from '../scale/support/work.ts'
import { callOnce, callSteadily } from './support/calls.ts'
import { killServers, startServer } from './support/program.ts'

const COUNT = 3
const LONG_MS = 240_000
const CALL_EVERY_MS = 20
/** Shorter than the time after which the operations of the store fail. */
const SHORT_MS = 200
const FAULT_MS = 3000
const DISK_MB = 64

/** Processes that serve, in a folder with the file that they share. */
interface Service {
  readonly url: string
  /** The SQLite file. */
  readonly file: string
  readonly folder: string
  killOne(): Promise<void>
}

const SETUPS: { readonly [name: string]: (folder: string) => Promise<Service> } = {
  async processes(folder) {
    const file = join(folder, 'sessions.db')
    const start = () => startServer({}, { STORES: file })
    const programs = [await start(), await start(), await start()]
    const balancer = await startBalancer(programs)
    onTestFinished(() => balancer.close())
    const killOne = async (): Promise<void> => {
      const [killed] = programs.splice(0, 1)
      killed!.process.kill('SIGKILL')
      programs.push(await start())
    }
    return { url: balancer.url, file, folder, killOne }
  },
  async workers(folder) {
    const { url } = await startServer({ workers: COUNT }, { TMPDIR: folder })
    const [created = ''] = readdirSync(folder)
    const killOne = async (): Promise<void> => void process.kill(Number(await callOnce(url, 'pid')), 'SIGKILL')
    return { url, file: join(folder, created, 'sessions.db'), folder, killOne }
  },
}

/** Locks the file for a time, as a backup does. */
async function lock(file: string, ms: number): Promise<void> {
  const database = findDriver(createRequire(import.meta.url))(file)
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE')
      break
    } catch {
      await sleep(1)
    }
  }
  await sleep(ms)
  database.exec('COMMIT')
  database.close()
}

const FAULTS: { readonly [name: string]: (service: Service) => Promise<void> } = {
  'a process is killed': ({ killOne }) => killOne(),
  'the store is locked': ({ file }) => lock(file, FAULT_MS),
  async 'the store is slow'({ file }) {
    for (let locked = 0; locked < FAULT_MS; locked += SHORT_MS) {
      await lock(file, SHORT_MS)
      await sleep(SHORT_MS / 4)
    }
  },
  async 'the disk is full'({ folder }) {
    const { bavail, bsize } = statfsSync(folder)
    const filler = join(folder, 'filler')
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096', `count=${Math.ceil((bavail * bsize) / 4096) + 1}`])
    await sleep(FAULT_MS)
    rmSync(filler)
  },
}

/** Returns a folder on a disk of its own where that is possible. */
function newFolder(): { readonly folder: string; readonly isDisk: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-faults-'))
  const isDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder]).status === 0
  onTestFinished(() => {
    killServers()
    if (isDisk) execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  })
  return { folder, isDisk }
}

afterEach(killServers)

describe.skipIf(process.platform !== 'linux').each(Object.keys(SETUPS))('%s', (setup) => {
  test.for(Object.keys(FAULTS))(
    '%s: nothing acknowledged is lost, and all calls work afterwards',
    { timeout: LONG_MS },
    async (fault, { skip }) => {
      const { folder, isDisk } = newFolder()
      if (fault === 'the disk is full' && !isDisk) skip('it needs a disk of its own, which only root may mount')
      const service = await SETUPS[setup]!(folder)
      const { url } = service
      const clients = await openWorkers(url, 'f', 6)
      let isFaulty = true
      const running = Promise.all(
        clients.map(async (client) => {
          while (isFaulty) await runCalls(client, 1)
        }),
      )
      await whenBusy(clients)
      const stop = new AbortController()
      const steady = callSteadily(url, CALL_EVERY_MS, stop.signal)
      await FAULTS[fault]!(service)
      await sleep(1000)
      isFaulty = false
      await running
      stop.abort()
      const calls = await steady
      const lost = calls.filter(({ failure }) => failure !== undefined)
      const failed = clients.flatMap((client) => client.failed)
      console.error(`${setup}, ${fault}: ${lost.length} of ${calls.length} modern calls and ${failed.length} others failed`)
      // A call of the newest revision needs no store. Only those that a killed process was running fail.
      expect(lost.length).toBeLessThanOrEqual(fault === 'a process is killed' ? COUNT : 0)
      expect(clients.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, true)))).toEqual([])
      expect(clients.flatMap(({ client }) => client.misrouted)).toEqual([])
      expect(failed.filter((text) => /timed out/.test(text))).toEqual([])

      const others = await openWorkers(url, 'g', 4)
      await Promise.all(others.map((client) => runCalls(client, 4)))
      expect(others.flatMap(({ records }) => records.flatMap((record) => violationsOf(record, false)))).toEqual([])
      expect(others.flatMap(({ failed: still, client }) => [...still, ...client.misrouted])).toEqual([])
    },
  )
})
