import { readFileSync } from 'node:fs'
import { LEGACY, RESULTS } from './eras.ts'

/** How to start a program. */
export interface Program {
  readonly command: string
  readonly args: string[]
}

/**
 * The start of each program: it reads lines and passes messages to `on`, a table of functions by method. It answers other methods
 * correctly. `say` writes a message, `raw` writes bytes.
 */
const PRELUDE = (results: string): string => `
const results = ${results}
const on = Object.create(null)
const raw = (bytes) => process.stdout.write(bytes)
const say = (message) => raw(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const reply = (id, result) => say({ id, result })
const text = (text) => ({ resultType: 'complete', content: [{ type: 'text', text }] })
const take = (message) => {
  const { id, method, params } = message
  if (on[method]) return on[method](id, params, message)
  if (id === undefined || method === undefined) return
  if (results[method]) reply(id, results[method])
  else say({ id, error: { code: -32601, message: 'Method not found' } })
}
let input = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  input += chunk
  const lines = input.split('\\n')
  input = lines.pop()
  for (const line of lines) if (line.trim()) take(JSON.parse(line))
})
`

/** Creates a program of the stateless era over stdio; `body` is its specific code. */
export function modernProgram(body: string): Program {
  return node(PRELUDE(resultsWithout('initialize')) + body)
}

/** Creates a program of the legacy era. */
export function legacyProgram(body: string): Program {
  return node(PRELUDE(resultsWithout('server/discover')) + body)
}

function resultsWithout(method: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(RESULTS).filter(([name]) => name !== method)))
}

/** Both kinds, for tests that apply to both eras. */
export const PROGRAMS = [
  ['2026-07-28', modernProgram],
  [LEGACY, legacyProgram],
] as const

export function node(script: string): Program {
  return { command: process.execPath, args: ['-e', script] }
}

/** Reports whether a process exists; a zombie counts. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Reports whether a process runs; a zombie does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
