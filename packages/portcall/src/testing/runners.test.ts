import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'

const from = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

const PROGRAM = `
import { test } from 'node:test'
import { createServer } from ${from('../index.ts')}
import { memory } from ${from('../stores.ts')}
import { assertError, assertStructured, assertText, collectChanges, createClock, pair, storeContract } from ${from('../testing.ts')}

const server = createServer({ name: 'test', version: '1' })
server.tool('greet', { input: { type: 'object', properties: { name: { type: 'string' } } } }, ({ name }) => 'Hello, ' + name)
server.tool('sum', { output: { type: 'object' } }, () => ({ sum: 3 }))
server.tool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }))

for (const transport of ['memory', 'stdio', 'http']) {
  test('a tool over ' + transport, async () => {
    const client = await pair(server, { transport })
    assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
    assertStructured(await client.callTool('sum'), { sum: 3 })
    assertError(await client.callTool('fail'), /no/)
    await client.close()
  })
}
test('changes', async () => {
  const client = await pair(server)
  const listening = client.listen({ toolsListChanged: true })
  await listening.honoured
  server.tools.remove('fail')
  await collectChanges(listening, 1)
  await client.close()
})
storeContract({
  test,
  create() {
    const clock = createClock()
    return { subject: memory({ now: clock.now }).store, advance: clock.advance }
  },
})
if (process.env.FAIL) test('one that fails', () => assertText({ content: [{ type: 'text', text: 'found' }] }, 'wanted'))
`

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcall-runners-'))
  await writeFile(join(folder, 'program.ts'), PROGRAM)
  const bundle = await rolldown({ input: join(folder, 'program.ts'), platform: 'node', tsconfig: false, logLevel: 'silent' })
  await bundle.write({ dir: join(folder, 'built'), format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs the program with the runner of Node, and gives what it reports. */
async function run(env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
  const program = join(folder, 'built', 'program.mjs')
  // A runner inside of a runner reports in another way: nothing of ours is passed on.
  const settings = { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test', '--test-reporter=tap', program], settings, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    )
  })
}

test('the kit works with the runner of Node', async () => {
  const { code, output } = await run()
  expect(output).toMatch(/# pass [1-9][0-9]/)
  expect(output).toContain('# fail 0')
  expect(code).toBe(0)
})

test('a failure is reported as an assertion, with both values', async () => {
  const { code, output } = await run({ FAIL: '1' })
  expect(code).toBe(1)
  expect(output).toContain('# fail 1')
  for (const line of ["code: 'ERR_ASSERTION'", "expected: 'wanted'", "actual: 'found'", 'The tool gave another text'])
    expect(output).toContain(line)
})
