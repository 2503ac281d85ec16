import { link, mkdir, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openFolder } from '../../../examples/notes/folder.ts'
import { closeNotes, makeFolder, openNotes, removeFolder } from './setup.ts'

const SECRET = 'the secret'

/** Creates a folder with links to files outside of it. */
async function makeTrap(): Promise<{ folder: string; outside: string }> {
  const folder = await makeFolder({ 'in.md': 'inside', 'sub/deep.md': 'deep inside' })
  onTestFinished(() => removeFolder(folder))
  const outside = `${folder}X`
  await mkdir(outside)
  await writeFile(join(outside, 'out.md'), SECRET)
  await writeFile(join(dirname(folder), 'out.md'), SECRET)
  await symlink(join(outside, 'out.md'), join(folder, 'link.md'))
  await symlink(outside, join(folder, 'linked'))
  await symlink(join(outside, 'none.md'), join(folder, 'dangling.md'))
  await symlink(join(folder, 'in.md'), join(folder, 'friend.md'))
  await mkdir(join(folder, 'folder.md'))
  await mkdir(join(folder, '.git'))
  await writeFile(join(folder, '.git', 'config.md'), SECRET)
  await writeFile(join(folder, '.env.md'), SECRET)
  return { folder, outside }
}

const BAD_PATHS = (folder: string): string[] => [
  '../out.md',
  '../notesX/out.md',
  'sub/../../out.md',
  'sub/../in.md',
  './in.md',
  'sub//deep.md',
  '/out.md',
  `${folder}X/out.md`,
  `${folder}/in.md`,
  '..\\out.md',
  'C:\\out.md',
  '%2e%2e/out.md',
  '..%2fout.md',
  '%252e%252e%252fout.md',
  '..%c0%afout.md',
  '.../out.md',
  'in.md\0.md',
  '../out.md\0',
  'link.md',
  'linked/out.md',
  'dangling.md',
  'folder.md',
  '.git/config.md',
  '.env.md',
  'in.md.',
  'sub',
  '.',
  '..',
]

describe('paths that escape the folder are rejected', () => {
  test('by the tools', async () => {
    const { folder, outside } = await makeTrap()
    const before = await readdir(dirname(folder), { recursive: true })
    const peer = await openNotes(folder, { transport: 'stdio', revision: '2026-07-28' })
    onTestFinished(() => closeNotes(peer))
    peer.onInputRequest(() => ({ action: 'accept', content: { confirm: true } }))
    for (const path of BAD_PATHS(folder)) {
      // Percent signs have no special meaning in a file name: writing creates a file with that name in the folder.
      for (const name of path.includes('%') ? ['read', 'delete'] : ['read', 'write', 'delete']) {
        const { result, error, response } = await peer.request('tools/call', {
          name,
          arguments: name === 'write' ? { path, text: 'broken' } : { path },
        })
        expect(JSON.stringify(response), `${name} ${path}`).not.toContain(SECRET)
        expect(result.isError ?? error, `${name} ${path}`).toBeTruthy()
      }
    }
    expect(await readdir(dirname(folder), { recursive: true })).toEqual(before)
    expect(await readFile(join(outside, 'out.md'), 'utf8')).toBe(SECRET)
    expect((await peer.request('tools/call', { name: 'read', arguments: { path: 'friend.md' } })).result.content).toMatchObject([
      { text: 'inside' },
    ])
  })

  test('by the resource template', async () => {
    const { folder } = await makeTrap()
    const peer = await openNotes(folder, { transport: 'http', revision: '2026-07-28' })
    onTestFinished(() => closeNotes(peer))
    const uris = BAD_PATHS(folder).flatMap((path) => [
      `notes://${path}`,
      `notes://${encodeURIComponent(path)}`,
      `notes://${encodeURI(path)}`,
    ])
    for (const uri of uris) {
      const { response, error } = await peer.request('resources/read', { uri })
      expect(JSON.stringify(response), uri).not.toContain(SECRET)
      expect(error?.code, uri).toBe(-32602)
    }
    const { result } = await peer.request('resources/list')
    expect((result.resources as { name: string }[]).map(({ name }) => name)).toEqual(['in.md', 'sub/deep.md'])
  })

  test('when a link replaces a folder while notes are read', async () => {
    const { folder, outside } = await makeTrap()
    await writeFile(join(outside, 'deep.md'), SECRET)
    const { read } = await openFolder(folder)
    const sub = join(folder, 'sub')
    let swapping = true
    const swap = (async () => {
      while (swapping) {
        await rename(sub, `${sub}-away`)
        await symlink(outside, sub)
        await sleep(Math.random())
        await rename(sub, `${sub}-link`)
        await rename(`${sub}-away`, sub)
        await sleep(Math.random())
      }
    })()
    const seen = new Set<string | undefined>()
    for (let round = 0; round < 2000; round++) seen.add(await read('sub/deep.md').catch(() => undefined))
    swapping = false
    await swap
    expect(seen).not.toContain(SECRET)
    expect(seen).toContain('deep inside')
  })

  test('but a hard link is the file itself', async () => {
    const { folder } = await makeTrap()
    await link(join(folder, 'in.md'), join(folder, 'hard.md'))
    expect(await (await openFolder(folder)).read('hard.md')).toBe('inside')
  })
})
