import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'

const importPath = (path: string): string => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

const PROGRAM = `
import { test } from 'node:test'
import { createServer } from ${importPath('../server/server.ts')}
import { memoryStores } from ${importPath('../stores/memory/memory.ts')}
import { assertError, assertStructured, assertText, collectChanges } from ${importPath('./assertions.ts')}
import { storeContract } from ${importPath('./contracts/store-contract.ts')}
import { createFakeClock } from ${importPath('./fake-clock.ts')}
import { connectPair } from ${importPath('./pair/pair.ts')}

const server = createServer({ name: 'test', version: '1' })
server.tool('greet', { input: { type: 'object', properties: { name: { type: 'string' } } } }, ({ name }) => 'Hello, ' + name)
server.tool('sum', { output: { type: 'object' } }, () => ({ sum: 3 }))
server.tool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }))

for (const transport of ['memory', 'stdio', 'http']) {
  test('a tool over ' + transport, async () => {
    const client = await connectPair(server, { transport })
    assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada')
    assertStructured(await client.callTool('sum'), { sum: 3 })
    assertError(await client.callTool('fail'), /no/)
    await client.close()
  })
}
test('changes', async () => {
  const client = await connectPair(server)
  const listening = client.listen({ toolsListChanged: true })
  await listening.acknowledged
  server.tools.remove('fail')
  await collectChanges(listening, 1)
  await client.close()
})
storeContract({
  test,
  create() {
    const clock = createFakeClock()
    return { subject: memoryStores({ now: clock.now }).store, advance: clock.advance }
  },
})
if (process.env.FAIL) test('a failing test', () => assertText({ content: [{ type: 'text', text: 'received text' }] }, 'expected text'))
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

/** Runs the program with node:test, and returns its report. */
async function run(env: Record<string, string> = {}): Promise<{ code: number; output: string }> {
  const program = join(folder, 'built', 'program.mjs')
  // Variables of the outer test runner would change the format of the report.
  const settings = { env: { PATH: process.env.PATH, ...env }, timeout: 60_000 }
  return new Promise((resolve) => {
    execFile(process.execPath, ['--test', '--test-reporter=tap', program], settings, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    )
  })
}

test('the kit works with node:test', async () => {
  const { code, output } = await run()
  expect(output).toMatch(/# pass [1-9][0-9]/)
  expect(output).toContain('# fail 0')
  expect(code).toBe(0)
})

test('a failure is reported as a failed assertion, with both values', async () => {
  const { code, output } = await run({ FAIL: '1' })
  expect(code).toBe(1)
  expect(output).toContain('# fail 1')
  for (const line of [
    "code: 'ERR_ASSERTION'",
    "expected: 'expected text'",
    "actual: 'received text'",
    'The tool returned a different text',
  ])
    expect(output).toContain(line)
})
