import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { replaceFile, withLockedFiles } from './replace-file.ts'

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portcall-replace-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

const change = (path: string, text: string, expected: string): Promise<unknown> =>
  withLockedFiles([path], () => replaceFile(path, text, expected))

describe('a link stays a link', () => {
  test.each([
    ['to a file', ['target'], true],
    ['to a file that does not exist', ['target'], false],
    ['to a file in a folder that does not exist', ['dotfiles/codex/target'], false],
    ['to a link to a file that does not exist', ['../real/link', 'target'], false],
  ] as const)('%s', async (_what, targets, exists) => {
    const folder = await temporaryFolder()
    const home = join(folder, 'home')
    await mkdir(home)
    const path = join(home, 'config')
    let link = path
    for (const target of targets) {
      await mkdir(join(link, '..'), { recursive: true })
      await symlink(target, link)
      link = join(link, '..', target)
    }
    if (exists) await writeFile(link, 'old')
    await change(path, 'new', exists ? 'old' : '')
    expect((await lstat(path)).isSymbolicLink()).toBe(true)
    expect(await readFile(path, 'utf8')).toBe('new')
    expect(await readFile(link, 'utf8')).toBe('new')
  })

  test('a link to itself is an error', async () => {
    const folder = await temporaryFolder()
    await symlink('b', join(folder, 'a'))
    await symlink('a', join(folder, 'b'))
    await expect(change(join(folder, 'a'), 'new', '')).rejects.toThrow()
    expect((await lstat(join(folder, 'a'))).isSymbolicLink()).toBe(true)
  })
})

test('the first backup and the last two remain, and files of others', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'config.json')
  const others = [
    'config.json.bak',
    'config.json.20260101.bak',
    'other.json.20260101-000000-000.bak',
    'config.json.20260101-000000-000.bak.txt',
  ]
  await writeFile(path, '0')
  for (const name of others) await writeFile(join(folder, name), 'mine')
  for (let version = 1; version <= 6; version++) {
    await change(path, String(version), String(version - 1))
    // Backups are named after their time in milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const backups = (await readdir(folder)).filter((name) => name !== 'config.json' && !others.includes(name)).sort()
  expect(await Promise.all(backups.map((name) => readFile(join(folder, name), 'utf8')))).toEqual(['0', '4', '5'])
  expect(await readdir(folder)).toEqual(expect.arrayContaining(others))
})
