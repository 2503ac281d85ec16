import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { COMMAND, DEMO, untilExit, untilOutput } from './support/portcall.ts'

/** `script` of util-linux runs a command in a terminal. */
const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

interface Terminal {
  readonly child: ChildProcessWithoutNullStreams
  readonly end: ReturnType<typeof untilExit>
  /** Waits for output on the screen, then types. */
  type(after: RegExp, text: string): Promise<void>
  /** Returns the output on stdout, which is redirected to a file. */
  out(): Promise<string>
}

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`

/** Runs the command in a terminal, with stdout redirected to a file. */
async function open(...args: string[]): Promise<Terminal> {
  const file = join(await mkdtemp(join(tmpdir(), 'portcall-terminal-')), 'out')
  const line = [process.execPath, COMMAND, ...args].map(quoted).join(' ')
  const child = spawn('script', ['-qefc', `${line} > ${quoted(file)}`, '/dev/null'])
  return {
    child,
    end: untilExit(child),
    async type(after, text) {
      await untilOutput(child.stdout, after)
      child.stdin.write(text)
    },
    out: () => readFile(file, 'utf8'),
  }
}

const interactive = test.skipIf(!hasTerminal)

interactive('a form is prompted field by field, invalid input is rejected, and control characters are made visible', async () => {
  const { type, end, out } = await open('call', DEMO, 'ask')
  await type(/The server requests input: Your \u241b\[31mdata[\s\S]*Your age \(an integer from 1, required\):/, 'old\r')
  await type(/expected[\s\S]*Your age/, '0\r')
  await type(/expected[\s\S]*Your age/, '36\r')
  await type(/ok \(yes or no, default true\):/, '\r')
  await type(/1\) red[\s\S]*2\) green[\s\S]*color \(a number from the list, optional\):/, '2\r')
  await type(/Submit\?/, '\r')
  const { code, out: screen } = await end
  expect(code).toBe(0)
  expect(JSON.parse(await out())).toEqual({ age: 36, ok: true, color: 'green' })
  expect(screen).not.toContain('\u001b[31m')
})

interactive('Ctrl-D cancels, no declines, Ctrl-C ends the command', async () => {
  const cancelled = await open('call', DEMO, 'ask')
  await cancelled.type(/Your age/, '\u0004')
  expect((await cancelled.end).code).toBe(1)
  expect(await cancelled.out()).toMatch(/dismissed/)

  const declined = await open('call', DEMO, 'ask')
  await declined.type(/Your age/, '1\r')
  await declined.type(/ok/, 'no\r')
  await declined.type(/color/, '\r')
  await declined.type(/Submit/, 'no\r')
  expect((await declined.end).code).toBe(1)
  expect(await declined.out()).toMatch(/declin/)

  const interrupted = await open('call', DEMO, 'ask')
  await interrupted.type(/Your age/, '\u0003')
  expect((await interrupted.end).code).toBe(130)
})

interactive('a URL is shown in full, and not opened', async () => {
  const { type, end, out } = await open('call', DEMO, 'visit')
  await type(/https:\/\/example\.com\/visit\?a=1[\s\S]*Do you agree to open it/, 'yes\r')
  expect((await end).code).toBe(0)
  expect(await out()).toBe('visited\n')
})

interactive('--no-input does not prompt on a terminal either', async () => {
  const { end } = await open('call', DEMO, 'ask', '--no-input')
  expect((await end).code).toBe(7)
})

interactive('progress is shown as a bar, which is removed at the end', async () => {
  const { end, out } = await open('call', DEMO, 'count')
  const { code, out: screen } = await end
  expect(code).toBe(0)
  expect(screen).toContain('[######------------------] 25 % step 1')
  expect(screen.slice(screen.lastIndexOf('[####'))).toContain('\r\u001b[K')
  expect(await out()).toBe('counted\n')
})

interactive('control characters in a result are made visible on a terminal and preserved in a pipe', async () => {
  const piped = await open('call', DEMO, 'control')
  await piped.end
  expect(await piped.out()).toBe('a\u001b[2Jb\n')
  const child = spawn('script', [
    '-qefc',
    [process.execPath, COMMAND, 'call', DEMO, 'control'].map(quoted).join(' '),
    '/dev/null',
  ])
  expect((await untilExit(child)).out).toContain('a\u241b[2Jb')
})

interactive('the help is not broken into single words in a terminal that does not know its width', async () => {
  const screen = spawnSync('script', ['-qec', `${quoted(process.execPath)} ${quoted(COMMAND)} help`, '/dev/null'], {
    encoding: 'utf8',
    input: '',
  }).stdout
  expect(screen).toMatch(/list +List tools, resources and prompts/)
})
