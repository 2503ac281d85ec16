/** Measures how much a server buffers for a client that does not read. */
import { readFileSync } from 'node:fs'
import { cpuSeconds } from '../harness/accounting.mjs'
import { openConnection } from './connection.mjs'
import { programOf } from './program.mjs'
import { createRequest, FIRST_ID, postText } from './request.mjs'

const IDLE_MS = 400
/** A process that uses less CPU than this in that time is idle. */
const IDLE_CPU_SECONDS = 0.01
const MOST_MS = 20_000
const KIB = 1024

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Resolves when a process is idle. */
async function untilIdle(pid) {
  const deadline = performance.now() + MOST_MS
  let before
  do {
    before = cpuSeconds(pid)
    await wait(IDLE_MS)
  } while (cpuSeconds(pid) - before > IDLE_CPU_SECONDS && performance.now() < deadline)
}

const hexPort = (port) => port.toString(16).toUpperCase().padStart(4, '0')

/** Returns the bytes in the kernel's buffers for a loopback connection, sent and not read yet. Undefined where the kernel does not report them. */
function bytesInKernel({ localPort, remotePort }) {
  if (process.platform !== 'linux') return 0
  const ends = [`${hexPort(localPort)} ${hexPort(remotePort)}`, `${hexPort(remotePort)} ${hexPort(localPort)}`]
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, remote]) => ends.includes(`${local?.split(':')[1]} ${remote?.split(':')[1]}`))
    .flatMap((fields) => fields[4].split(':'))
    .reduce((sum, bytes) => sum + Number.parseInt(bytes, 16), 0)
}

/** Stops reading at the first byte and continues when the server is idle. Returns the KiB that the server had buffered. */
async function pause(stream, { pid, ended, bytesRead, bytesElsewhere }) {
  await new Promise((resolve) => stream.once('data', resolve))
  stream.pause()
  await untilIdle(pid)
  const before = bytesRead() + bytesElsewhere()
  stream.resume()
  await ended
  return { heldKB: (bytesRead() - before) / KIB }
}

async function pauseHttp({ pid, port, opening, requests: [{ headers: own, body }] }) {
  const { connection, headers } = await openConnection({ port }, opening)
  const { socket } = connection
  const text = postText({ port }, { headers: { ...own, ...headers }, body })
  const ended = connection.exchange(createRequest(text).stamp(FIRST_ID).latin1Slice())
  const sample = await pause(socket, {
    pid,
    ended,
    bytesRead: () => socket.bytesRead,
    bytesElsewhere: () => bytesInKernel(socket),
  })
  connection.close()
  return sample
}

async function pauseStdio({ pid, requests: [{ line }] }) {
  const program = programOf(pid)
  const id = program.nextId++
  const ended = new Promise((resolve, reject) => {
    program.onFail = reject
    program.onLines = (lines) => lines.some((one) => one.includes(`"id":${id}`)) && resolve()
  })
  program.stdin.write(createRequest(`${line}\n`).stamp(id))
  return pause(program.stdout, { pid, ended, bytesRead: () => program.stdout.bytesRead, bytesElsewhere: () => 0 })
}

/**
 * Makes one call whose response is not read for a while.
 *
 * @param {object} job `pid`, `requests`, of which only the first is sent, and over HTTP `port` and `opening`
 */
export const runPaused = (job) => (job.port ? pauseHttp(job) : pauseStdio(job))
