/** Modules that do more than to export a server, given to each command that loads modules. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { portcall, start, untilExit } from './support/portcall.ts'

const BUILD = fileURLToPath(new URL('build/modules/', import.meta.url))
const CREATE = `import { createServer } from 'portcall'
const server = createServer({ name: 'todo', version: '1' }).tool('list', { description: 'Lists' }, () => 'x')\n`
const STDIO = `${CREATE}import { serveStdio } from 'portcall/stdio'\n`

/** The sources of modules, and what is said about each. */
const MODULES = {
  serves: [
    `${STDIO}await serveStdio(server)`,
    /serves\.mjs serves itself over stdio \(.*(?:--|with) node .*serves\.mjs, or export/,
  ],
  'serves-and-exports': [`${STDIO}export default server\nawait serveStdio(server)`, /serves itself over stdio/],
  'serves-in-main': [
    `${STDIO}const main = async () => { await serveStdio(server) }\nmain().catch((error) => { console.error(error); process.exit(1) })`,
    /portcall: .* serves itself over stdio/,
  ],
  'serves-without-waiting': [`${STDIO}export { server }\nvoid serveStdio(server)`, /serves itself over stdio/],
  'reads-lines': [
    `import { createInterface } from 'node:readline'\nfor await (const line of createInterface({ input: process.stdin })) console.log(line)`,
    /serves itself over stdio/,
  ],
  'never-settles': [`${CREATE}export default server\nawait new Promise(() => {})`, /its top-level code waits for something/],
  'ends-the-process': [
    `${CREATE}export default server\nprocess.exit(0)`,
    /ended the process with exit code 0 while it was loaded/,
  ],
} as const

const COMMANDS: readonly (readonly string[])[] = [
  ['list'],
  ['call', 'list'],
  ['check'],
  ['doctor'],
  ['discover'],
  ['types'],
  ['snapshot'],
  ['bridge'],
  ['serve'],
  ['serve', '--stdio'],
]

beforeAll(async () => {
  await mkdir(BUILD, { recursive: true })
  for (const [name, [source]] of Object.entries(MODULES)) await writeFile(join(BUILD, `${name}.mjs`), source)
})
afterAll(() => rm(BUILD, { recursive: true, force: true }))

const pathOf = (name: string): string => join(BUILD, `${name}.mjs`)
const withModule = ([command = '', ...args]: readonly string[], name: string): string[] => [command, pathOf(name), ...args]

describe.each(Object.entries(MODULES))('%s', (name, [, says]) => {
  test('a command says what is wrong, with stdin open and at its end', async () => {
    const ended = await portcall(['list', pathOf(name)])
    expect(ended.err).toMatch(says)
    expect([2, 4]).toContain(ended.code)
    const open = await untilExit(start(['list', pathOf(name)]))
    expect({ ...open, err: '' }).toEqual({ ...ended, err: '' })
    expect(open.err).toMatch(says)
  })
})

test.each(COMMANDS.map((command) => [command.join(' '), command] as const))('%s', async (_title, command) => {
  const { code, out, err } = await portcall(withModule(command, 'serves'))
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(MODULES.serves[1])
})

test('as JSON, and with --watch', async () => {
  const { err } = await portcall(['list', pathOf('serves'), '--json'])
  expect(JSON.parse(err)).toMatchObject({
    error: { code: 'USAGE', message: expect.stringContaining('serves itself over stdio') },
  })
  const ended = await portcall(['list', pathOf('ends-the-process'), '--json'])
  expect(JSON.parse(ended.err)).toMatchObject({ error: { code: 'UNREACHABLE', exit: 4 } })
  const watched = start(['serve', pathOf('serves'), '--watch', '--port', '0'])
  const end = untilExit(watched)
  let text = ''
  await new Promise<void>((resolve) =>
    watched.stderr.on('data', (chunk) => {
      text += String(chunk)
      if (text.includes('waiting for changes')) resolve()
    }),
  )
  watched.kill()
  await end
  expect(text).toContain('serves itself over stdio')
})
