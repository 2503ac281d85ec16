/** The stdio baseline: splits stdin into lines, JSON.parse, a hand-written response, JSON.stringify; one write per chunk of responses and per notification. */
import { serverArguments } from '../servers/arguments.mjs'
import { createAnswers } from './answers.mjs'

const NEWLINE = 10
const answer = createAnswers(serverArguments())
const notify = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

let pending = []

process.stdin.on('data', (chunk) => {
  let answers = ''
  let start = 0
  for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
    const rest = chunk.subarray(start, end)
    const line = pending.length ? Buffer.concat([...pending, rest]) : rest
    pending = []
    start = end + 1
    const response = answer(JSON.parse(line), notify)
    if (response) answers += `${JSON.stringify(response)}\n`
  }
  if (start < chunk.length) pending.push(chunk.subarray(start))
  if (answers) process.stdout.write(answers)
})
