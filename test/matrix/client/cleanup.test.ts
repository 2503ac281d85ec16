import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { serve } from 'portcall/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileProgram } from '../../support/compile.ts'
import { createMatrixServer } from '../server/index.ts'
import type { Measurement } from './cleanup-program.ts'

const CLEANUP_PROGRAM = fileURLToPath(new URL('./cleanup-program.ts', import.meta.url))
const PROGRAM = fileURLToPath(new URL('../server/stdio.ts', import.meta.url))

/** Results of a program that never calls `process.exit`: it exits when no resource is leaked open. */
let measurements: Measurement[]
let exitMs = Infinity
let exitStatus: unknown[]

beforeAll(async () => {
  const serving = await serve(createMatrixServer(), { port: 0, handleProcessSignals: false, drainTimeoutMs: 100 })
  const args = [await compileProgram(CLEANUP_PROGRAM), serving.url, await compileProgram(PROGRAM, { startsOften: true })]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  afterAll(() => {
    child.kill('SIGKILL')
    return serving.close()
  })
  const exit = once(child, 'exit')
  child.stdout.once('data', () => (exitMs = performance.now()))
  measurements = JSON.parse(await text(child.stdout)) as Measurement[]
  exitStatus = await exit
  exitMs = performance.now() - exitMs
})

test('LIFE-024 STDIO-016 a closed client leaves no socket, timer or child process', () => {
  expect(measurements.length).toBeGreaterThan(20)
  expect(measurements.filter(({ leaked }) => leaked.length > 0)).toEqual([])
})

test('closing takes at most half a second, also with pending calls', () => {
  expect(measurements.filter(({ closeMs }) => closeMs > 500)).toEqual([])
})

test('a program exits by itself after all its clients are closed', () => {
  expect(exitStatus).toEqual([0, null])
  expect(exitMs).toBeLessThan(10_000)
})
