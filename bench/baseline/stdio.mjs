/** The stdio baseline: splits stdin into lines, parses each, puts the response together as text; one write for all that a chunk leads to. */
import { serverArguments } from '../servers/arguments.mjs'
import { createAnswers } from './answers.mjs'

/** Messages of one turn are written when they are this long. */
const BATCH = 64 * 1024
const NEWLINE = 10
const answer = createAnswers(serverArguments())

let pending = []
let output = ''

function flush() {
  if (output) process.stdout.write(output)
  output = ''
}

function send(text) {
  output += `${text}\n`
  if (output.length >= BATCH) flush()
}

process.stdin.on('data', (chunk) => {
  let start = 0
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    const line = pending.length ? Buffer.concat([...pending, chunk.subarray(start, end)]) : chunk.utf8Slice(start, end)
    pending = []
    start = end + 1
    const text = answer(JSON.parse(line), send)
    if (text) send(text)
  }
  if (start < chunk.length) pending.push(chunk.subarray(start))
  flush()
})
