import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { serve } from 'portcall/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileProgram } from '../../support/compile.ts'
import { createMatrixServer } from '../server/index.ts'
import type { Visit } from './leaver.ts'

const LEAVER = fileURLToPath(new URL('./leaver.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('../server/stdio.ts', import.meta.url))

/** A program that is never told to exit: it ends when nothing is left in it. */
let visits: Visit[]
let endingMs = Infinity
let ended: unknown[]

beforeAll(async () => {
  const serving = await serve(createMatrixServer(), { port: 0, signals: false, drainMs: 100 })
  const args = [await compileProgram(LEAVER), serving.url, await compileProgram(PROGRAM)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  afterAll(() => {
    child.kill('SIGKILL')
    return serving.close()
  })
  const exit = once(child, 'exit')
  child.stdout.once('data', () => (endingMs = performance.now()))
  visits = JSON.parse(await text(child.stdout)) as Visit[]
  ended = await exit
  endingMs = performance.now() - endingMs
})

test('LIFE-024 STDIO-016 who leaves leaves nothing: no socket, no timer, no child', () => {
  expect(visits.length).toBeGreaterThan(20)
  expect(visits.filter(({ left }) => left.length > 0)).toEqual([])
})

test('a well-behaved server is left within half a second, whatever is under way', () => {
  expect(visits.filter(({ leavingMs }) => leavingMs > 500)).toEqual([])
})

test('a program that has left all its servers ends by itself', () => {
  expect(ended).toEqual([0, null])
  expect(endingMs).toBeLessThan(10_000)
})
