import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMAND, DEMO, ended, said } from './support/portcall.ts'

/** `script` of util-linux gives a command a terminal. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

interface Terminal {
  readonly child: ChildProcessWithoutNullStreams
  readonly end: ReturnType<typeof ended>
  /** Waits until something is on the screen, then types. */
  type(after: RegExp, text: string): Promise<void>
  /** What went to stdout, which is a file here. */
  out(): Promise<string>
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Runs the command in a terminal; its stdout goes to a file, so that data and talk can be told apart. */
async function open(...args: string[]): Promise<Terminal> {
  const file = join(await mkdtemp(join(tmpdir(), 'portcall-terminal-')), 'out')
  const line = [process.execPath, COMMAND, ...args].map(quoted).join(' ')
  const child = spawn('script', ['-qefc', `${line} > ${quoted(file)}`, '/dev/null'])
  return {
    child,
    end: ended(child),
    async type(after, text) {
      await said(child.stdout, after)
      child.stdin.write(text)
    },
    out: () => readFile(file, 'utf8'),
  }
}

const interactive = test.skipIf(!hasTerminal)

interactive('a form is filled in field by field, what does not fit is asked again, and nothing steers the terminal', async () => {
  const { type, end, out } = await open('call', DEMO, 'ask')
  await type(/The server asks: Your \u241b\[31mdata[\s\S]*Your age \(a whole number from 1, required\):/, 'old\r')
  await type(/expected[\s\S]*Your age/, '0\r')
  await type(/expected[\s\S]*Your age/, '36\r')
  await type(/ok \(yes or no, default true\):/, '\r')
  await type(/1\) red[\s\S]*2\) green[\s\S]*color \(a number, may be empty\):/, '2\r')
  await type(/Send this\?/, '\r')
  const { code, out: screen } = await end
  expect(code).toBe(0)
  expect(JSON.parse(await out())).toEqual({ age: 36, ok: true, color: 'green' })
  expect(screen).not.toContain('\u001b[31m')
})

interactive('Ctrl-D cancels, no declines, Ctrl-C ends it all', async () => {
  const cancelled = await open('call', DEMO, 'ask')
  await cancelled.type(/Your age/, '\u0004')
  expect((await cancelled.end).code).toBe(1)
  expect(await cancelled.out()).toMatch(/dismissed/)

  const declined = await open('call', DEMO, 'ask')
  await declined.type(/Your age/, '1\r')
  await declined.type(/ok/, 'no\r')
  await declined.type(/color/, '\r')
  await declined.type(/Send this/, 'no\r')
  expect((await declined.end).code).toBe(1)
  expect(await declined.out()).toMatch(/declin/)

  const interrupted = await open('call', DEMO, 'ask')
  await interrupted.type(/Your age/, '\u0003')
  expect((await interrupted.end).code).toBe(130)
})

interactive('an address is shown whole, and nothing is opened', async () => {
  const { type, end, out } = await open('call', DEMO, 'visit')
  await type(/https:\/\/example\.com\/visit\?a=1[\s\S]*Will you visit it/, 'yes\r')
  expect((await end).code).toBe(0)
  expect(await out()).toBe('visited\n')
})

interactive('--no-input asks nothing on a terminal either', async () => {
  const { end } = await open('call', DEMO, 'ask', '--no-input')
  expect((await end).code).toBe(7)
})

interactive('progress is a bar, which is gone in the end', async () => {
  const { end, out } = await open('call', DEMO, 'count')
  const { code, out: screen } = await end
  expect(code).toBe(0)
  expect(screen).toContain('[######------------------] 25 % step 1')
  expect(screen.slice(screen.lastIndexOf('[####'))).toContain('\r\u001b[K')
  expect(await out()).toBe('counted\n')
})

interactive('text of a tool cannot steer a terminal, and stays as it is in a pipe', async () => {
  const piped = await open('call', DEMO, 'steer')
  await piped.end
  expect(await piped.out()).toBe('a\u001b[2Jb\n')
  const child = spawn('script', ['-qefc', [process.execPath, COMMAND, 'call', DEMO, 'steer'].map(quoted).join(' '), '/dev/null'])
  expect((await ended(child)).out).toContain('a\u241b[2Jb')
})
