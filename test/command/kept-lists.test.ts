/** The lists that `portcall gateway` keeps in the home directory of its user. */
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { COMMAND, portcall } from './support/portcall.ts'

/** Answers after the milliseconds that a file contains. */
const PROGRAM = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const results = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
  'tools/list': { tools: [{ name: 'one', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'called' }] },
}
const onLine = (line) => {
  const { id, method } = JSON.parse(line)
  if (id !== undefined) send({ id, result: results[method] ?? {} })
}
const delay = Number(require('fs').readFileSync(process.argv[1], 'utf8'))
setTimeout(() => require('readline').createInterface({ input: process.stdin }).on('line', onLine), delay)`

async function createHome() {
  const home = await mkdtemp(join(tmpdir(), 'portcall-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  const file = join(home, 'gateway.json')
  const delayFile = join(home, 'delay')
  const configure = (gateway: object): Promise<void> =>
    writeFile(
      file,
      JSON.stringify({ mcpServers: { slow: { command: process.execPath, args: ['-e', PROGRAM, delayFile] } }, gateway }),
    )
  const startAfter = (ms: number): Promise<void> => writeFile(delayFile, String(ms))
  const run = async (...command: string[]) => {
    const program = [process.execPath, COMMAND, 'gateway', '--stdio', '--config', file]
    const { out, err } = await portcall([...command, '--json', '--env', `PORTCALL_HOME=${home}`, '--', ...program], { cwd: home })
    return err === '' ? JSON.parse(out) : Promise.reject(new Error(err))
  }
  await startAfter(0)
  return { lists: join(home, 'lists'), configure, startAfter, run }
}

const SETTINGS = { servers: { slow: { listTimeoutMs: 1000, startTimeoutMs: 30_000 } } }

test('a gateway offers the tools of a program that starts slowly, and calls wait for it', async () => {
  const { lists, configure, startAfter, run } = await createHome()
  await configure(SETTINGS)
  expect(await run('list')).not.toHaveProperty('kept')
  expect(await readdir(lists)).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)])
  const [name = ''] = await readdir(lists)
  if (process.platform !== 'win32') expect((await stat(join(lists, name))).mode & 0o777).toBe(0o600)
  await startAfter(5000)
  const { tools, kept, unavailable } = await run('list')
  expect(tools).toMatchObject([{ name: 'slow__one' }])
  expect(unavailable.slow).toContain('still starting')
  expect(Date.parse(kept.slow)).toBeGreaterThan(0)
  expect(await run('call', 'slow__one')).toMatchObject({ content: [{ text: 'called' }] })
})

test('nothing is kept if the configuration says so', async () => {
  const { lists, configure, run } = await createHome()
  await configure({ ...SETTINGS, keepLists: false })
  await run('list')
  await expect(readdir(lists)).rejects.toThrow('ENOENT')
})

test('files that are old are deleted', async () => {
  const { lists, configure, run } = await createHome()
  await configure(SETTINGS)
  await run('list')
  const [first = ''] = await readdir(lists)
  await utimes(join(lists, first), 0, 0)
  await configure({ ...SETTINGS, servers: { slow: { ...SETTINGS.servers.slow, capabilities: 'exact' } } })
  await run('list')
  expect(await readdir(lists)).toEqual([expect.not.stringContaining(first)])
})
