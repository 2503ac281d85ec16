/** The examples of docs/tools/doctor.md and docs/tools/record-replay.md. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { compileProgram } from '../support/compile.ts'

async function run(name: string): Promise<string> {
  const program = await compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))
  return (await promisify(execFile)(process.execPath, [program])).stdout
}

test('doctor', async () => {
  const output = await run('doctor')
  expect(output).toMatch(/^Target: passed\nDNS: skipped\nTCP connection: passed\n/)
  expect(output).toMatch(
    /Limits of hosts: failed\n( {2}.*\n)* {2}tool notes\/search: the name may only have letters, digits, _ and -/,
  )
})

test('compare-servers', async () => {
  expect(await run('compare-servers')).toMatch(/tool search \/inputSchema\/required .*breaking: true/s)
})
