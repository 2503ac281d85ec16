/** One long line, in small pieces. */
import { once } from 'node:events'
import { cpuSeconds } from '../harness/accounting.mjs'
import { programOf } from './program.mjs'
import { createRequest } from './request.mjs'
import { faultOf } from './verify.mjs'

const PIECE = 16 * 1024

async function writePieces(stdin, bytes) {
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (!stdin.write(bytes.subarray(at, at + PIECE))) await once(stdin, 'drain')
  }
}

/**
 * Sends one request in chunks of 16 KB.
 *
 * @param {object} job `pid`, `requests` as `{ line, check }`, of which only the first is sent
 * @returns {Promise<object>} milliseconds from its first byte to the response, and the CPU time of the server
 */
export async function runLine({ pid, requests: [{ line, check }] }) {
  const program = programOf(pid)
  const id = program.nextId++
  const bytes = createRequest(`${line}\n`).stamp(id)
  const answer = new Promise((resolve, reject) => Object.assign(program, { onLines: resolve, onFail: reject }))
  const cpuBefore = cpuSeconds(pid)
  const startedAt = performance.now()
  await writePieces(program.stdin, bytes)
  const lines = await answer
  const callMs = performance.now() - startedAt
  const fault = faultOf(
    lines.map((text) => JSON.parse(text)),
    id,
    check,
  )
  return { callMs, cpuMs: (cpuSeconds(pid) - cpuBefore) * 1000, failed: fault ? 1 : 0, faults: [fault] }
}
