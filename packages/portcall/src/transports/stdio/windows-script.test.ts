import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findScript } from '../../../../util/src/find-script.ts'
import { environmentFor } from './environment.ts'
import { SpawnError } from './spawn-error.ts'
import { launchOnWindows } from './windows-script.ts'

let folder: string
const at = (...path: string[]): string => join(folder, ...path)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portcall-windows-'))
  for (const name of ['tools', 'later']) mkdirSync(at(name))
  for (const name of ['npx', 'npx.cmd', 'old.bat', 'python.exe', 'both.exe', 'both.cmd', 'my tool.cmd'])
    writeFileSync(at('tools', name), '')
  for (const name of ['python.cmd', 'late.cmd']) writeFileSync(at('later', name), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

const envWith = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: [at('tools'), at('later')].join(delimiter),
  ...more,
})

describe('findScript', () => {
  test.each([
    ['npx', 'tools/npx.cmd'],
    ['NPX.CMD'.toLowerCase(), 'tools/npx.cmd'],
    ['old', 'tools/old.bat'],
    ['late', 'later/late.cmd'],
    // An executable in an earlier folder, or with an earlier extension.
    ['python', undefined],
    ['both', undefined],
    ['missing', undefined],
  ])('searches PATH for %s with the extensions of PATHEXT', (command, expected) => {
    expect(findScript({ command, env: envWith() })).toBe(expected && at(expected))
  })

  test('reads PATHEXT and variables in any case', () => {
    const env = { Path: at('tools'), PathExt: '.CMD;.EXE' }
    expect(findScript({ command: 'both', env })).toBe(at('tools', 'both.cmd'))
  })

  test('resolves a path from the working directory', () => {
    expect(findScript({ command: './tools/npx', cwd: folder, env: {} })).toBe(at('tools', 'npx.cmd'))
    expect(findScript({ command: at('tools', 'old.bat'), env: {} })).toBe(at('tools', 'old.bat'))
  })
})

describe('launchOnWindows', () => {
  const lineOf = (command: string, args: readonly string[]): string | undefined =>
    launchOnWindows({ command, cwd: undefined, env: envWith() }, args).args.at(-1)

  test('starts an executable directly', () => {
    const args = ['-m', 'server', 'a "b"']
    expect(launchOnWindows({ command: 'python', cwd: undefined, env: envWith() }, args)).toEqual({ command: 'python', args })
  })

  test('runs a script with cmd.exe', () => {
    const env = envWith({ ComSpec: 'C:\\Windows\\System32\\cmd.exe' })
    expect(launchOnWindows({ command: 'npx', cwd: undefined, env }, ['-y', '@scope/server'])).toEqual({
      command: 'C:\\Windows\\System32\\cmd.exe',
      args: ['/e:ON', '/v:OFF', '/d', '/c', `""${at('tools', 'npx.cmd')}" -y @scope/server"`],
      windowsVerbatimArguments: true,
    })
  })

  test('quotes the path of a script with spaces', () => {
    expect(lineOf('my tool', [])).toBe(`""${at('tools', 'my tool.cmd')}""`)
  })

  test.each([
    ['', '""'],
    ['plain-1.0', 'plain-1.0'],
    ['C:\\data\\x', 'C:\\data\\x'],
    ['C:\\my data\\', '"C:\\my data\\\\"'],
    ['trailing\\', '"trailing\\\\"'],
    ['a b', '"a b"'],
    ['https://x.test/?a=1&b=2', '"https://x.test/?a=1&b=2"'],
    ['{"a":1}', '"{""a"":1}"'],
    ['\\"', '"\\\\"""'],
    ['" & calc & "', '""" & calc & """'],
    ['%PATH%', '"%%cd:~,%PATH%%cd:~,%"'],
    ['a^b|c>d', '"a^b|c>d"'],
    ['héllo', 'héllo'],
  ])('passes the argument %j as %s', (arg, expected) => {
    expect(lineOf('npx', [arg])).toBe(`""${at('tools', 'npx.cmd')}" ${expected}"`)
  })

  test.each(['a\nb', 'a\r', 'a\0'])('refuses the argument %j, which cmd.exe cannot pass on', (arg) => {
    expect(() => lineOf('npx', [arg])).toThrow(SpawnError)
  })
})

describe('environmentFor', () => {
  const windows = (env: NodeJS.ProcessEnv) => ({ platform: 'win32' as const, env })

  test('inherits what programs need on Windows, and no secrets', () => {
    const env = {
      PATH: 'C:\\bin',
      APPDATA: 'C:\\a',
      SYSTEMROOT: 'C:\\Windows',
      PATHEXT: '.EXE',
      AWS_SECRET_ACCESS_KEY: 'x',
      HOME: 'y',
    }
    expect(environmentFor({}, windows(env))).toEqual({
      PATH: 'C:\\bin',
      APPDATA: 'C:\\a',
      SYSTEMROOT: 'C:\\Windows',
      PATHEXT: '.EXE',
    })
  })

  test('overrides a variable whatever the case of its name, as Windows does', () => {
    expect(environmentFor({ Path: 'D:\\bin' }, windows({ PATH: 'C:\\bin' }))).toEqual({ Path: 'D:\\bin' })
    expect(environmentFor({ path: undefined }, windows({ PATH: 'C:\\bin' }))).toEqual({})
  })

  test('distinguishes the case of names elsewhere', () => {
    const env = { PATH: '/bin' }
    expect(environmentFor({ Path: '/other' }, { platform: 'linux', env })).toEqual({ PATH: '/bin', Path: '/other' })
  })
})
