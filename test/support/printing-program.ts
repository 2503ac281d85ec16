import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'

/** Starts a program that prints `ready` when it serves, and ends it with the test. Returns a function that returns what it has printed. */
export async function startPrintingProgram(program: URL, env: Record<string, string>): Promise<() => string> {
  const variables = { ...process.env, ...env }
  const child = spawn(process.execPath, [fileURLToPath(program)], { env: variables, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  onTestFinished(async () => {
    child.kill()
    await once(child, 'exit')
  })
  await eventually(() => {
    if (!output.includes('ready')) throw new Error('the program is not ready')
  })
  return () => output
}
