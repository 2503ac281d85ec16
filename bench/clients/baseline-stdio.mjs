/** The stdio client baseline: one write per call, splits output into lines, JSON.stringify, JSON.parse. */
import { spawn } from 'node:child_process'
import { addCall, HANDSHAKE } from './messages.mjs'
import { runClient } from './run-client.mjs'

const NEWLINE = 10

/** Calls back with each line of a stream. */
function eachLine(stream, onLine) {
  let pending = []
  stream.on('data', (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end)
      onLine(pending.length ? Buffer.concat([...pending, rest]) : rest)
      pending = []
      start = end + 1
    }
    if (start < chunk.length) pending.push(chunk.subarray(start))
  })
}

await runClient(async ({ mode, command, args }) => {
  const { stdin, stdout } = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  eachLine(stdout, (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)(message)
    waiting.delete(message.id)
  })
  const send = (message) => stdin.write(`${JSON.stringify(message)}\n`)
  const ask = (message) =>
    new Promise((resolve) => {
      waiting.set(message.id, resolve)
      send(message)
    })
  if (mode === 'session') {
    const [initialize, initialized] = HANDSHAKE
    await ask(initialize)
    send(initialized)
  }
  let lastId = 0
  return async (a, b) => (await ask(addCall(mode, ++lastId, { a, b }))).result.structuredContent.sum
})
