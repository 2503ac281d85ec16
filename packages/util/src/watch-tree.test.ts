import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../portcall/test-kit/eventually.ts'
import { type WatchedTree, watchTree } from './watch-tree.ts'

let [parent, folder, file] = ['', '', '']
const trees: WatchedTree[] = []
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'portcall-watch-'))
  folder = join(parent, 'dist')
  file = join(folder, 'server.js')
  mkdirSync(folder)
  writeFileSync(file, 'v0')
})
afterEach(() => {
  for (const tree of trees.splice(0)) tree.close()
  rmSync(parent, { recursive: true })
})

/** Watches the JavaScript in the folder. Returns the changed paths so far. */
function watchScripts(): { readonly changed: string[]; readonly tree: WatchedTree } {
  const changed: string[] = []
  const tree = watchTree(folder, (paths) => changed.push(...paths), {
    isWatched: (path) => path.endsWith('.js'),
    isIgnored: (name) => name === 'node_modules',
  })
  trees.push(tree)
  return { changed, tree }
}

/** The ways in which editors, compilers and version control save a file. */
const WAYS: readonly { readonly way: string; save(text: string): void }[] = [
  { way: 'in place', save: (text) => writeFileSync(file, text) },
  {
    way: 'a new file renamed over it (JetBrains, sed -i, git)',
    save(text) {
      writeFileSync(`${file}.tmp`, text)
      renameSync(`${file}.tmp`, file)
    },
  },
  {
    way: 'the old file renamed to a backup, then a new one (vim)',
    save(text) {
      renameSync(file, `${file}~`)
      writeFileSync(file, text)
    },
  },
  {
    way: 'removed, then created',
    save(text) {
      unlinkSync(file)
      writeFileSync(file, text)
    },
  },
  {
    way: 'emptied, then written',
    save(text) {
      writeFileSync(file, '')
      appendFileSync(file, text)
    },
  },
  { way: 'sed -i', save: (text) => void spawnSync('sed', ['-i', `s/.*/${text}/`, file]) },
  {
    way: 'the folder removed and built again',
    save(text) {
      rmSync(folder, { recursive: true })
      mkdirSync(folder)
      writeFileSync(file, text)
    },
  },
  {
    way: 'another folder moved into its place',
    save(text) {
      mkdirSync(join(parent, 'next'))
      writeFileSync(join(parent, 'next', 'server.js'), text)
      renameSync(folder, join(parent, 'old'))
      renameSync(join(parent, 'next'), folder)
      rmSync(join(parent, 'old'), { recursive: true })
    },
  },
]

test.each(WAYS)('notices each of several saves: $way', async ({ save }) => {
  const { changed } = watchScripts()
  for (const version of ['v1', 'v2', 'v3', 'v4']) {
    changed.length = 0
    save(version)
    await eventually(() => expect(changed).toContain(file))
  }
})

test('notices a save after all other ways of saving', async () => {
  const { changed } = watchScripts()
  for (const [index, { way, save }] of [...WAYS, ...WAYS].entries()) {
    changed.length = 0
    save(`v${index}`)
    await eventually(() => expect(changed, way).toContain(file))
  }
})

test('notices files in new folders, removed files, and files behind links', async () => {
  const { changed } = watchScripts()
  const nested = join(folder, 'a', 'b')
  mkdirSync(nested, { recursive: true })
  writeFileSync(join(nested, 'tool.js'), 'v1')
  await eventually(() => expect(changed).toContain(join(nested, 'tool.js')))
  for (const change of [
    () => writeFileSync(join(nested, 'tool.js'), 'version 2'),
    () => rmSync(join(folder, 'a'), { recursive: true }),
  ]) {
    changed.length = 0
    change()
    await eventually(() => expect(changed).toContain(join(nested, 'tool.js')))
  }
  const elsewhere = join(parent, 'elsewhere')
  mkdirSync(elsewhere)
  symlinkSync(elsewhere, join(folder, 'linked'))
  symlinkSync(folder, join(folder, 'loop'))
  writeFileSync(join(elsewhere, 'shared.js'), 'v1')
  await eventually(() => expect(changed).toContain(join(folder, 'linked', 'shared.js')))
})

test('ignores other files and ignored folders, unless they were added', async () => {
  mkdirSync(join(folder, 'node_modules'))
  const data = join(folder, 'state.json')
  const outside = join(parent, 'config.json')
  for (const path of [data, outside]) writeFileSync(path, '{}')
  const { changed, tree } = watchScripts()
  writeFileSync(data, '{"calls":1}')
  writeFileSync(join(folder, 'node_modules', 'index.js'), '')
  writeFileSync(file, 'v1')
  await eventually(() => expect(new Set(changed)).toEqual(new Set([file])))
  tree.add([data, outside])
  for (const path of [data, outside]) {
    changed.length = 0
    writeFileSync(`${path}.tmp`, '{"calls":2}')
    renameSync(`${path}.tmp`, path)
    await eventually(() => expect(new Set(changed)).toEqual(new Set([path])))
  }
})

test('a log that is written all the time does not hold changes back', async () => {
  const { changed } = watchScripts()
  const timer = setInterval(() => appendFileSync(join(folder, 'server.log'), 'line\n'), 5)
  try {
    writeFileSync(file, 'v1')
    await eventually(() => expect(new Set(changed)).toEqual(new Set([file])))
  } finally {
    clearInterval(timer)
  }
})
