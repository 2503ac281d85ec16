import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portcall } from './support/portcall.ts'

/** Below the repository, which has rolldown. */
const HERE = fileURLToPath(new URL('build/', import.meta.url))

let cwd = ''
beforeEach(async () => {
  await mkdir(HERE, { recursive: true })
  cwd = await mkdtemp(join(HERE, 'views-'))
  await mkdir(join(cwd, 'views/list'), { recursive: true })
  await writeFile(join(cwd, 'views/chart.tsx'), 'document.getElementById("root")!.textContent = "Chart" as string')
  await writeFile(join(cwd, 'views/list/index.html'), '<p>List</p><script type="module" src="list.ts"></script>')
  await writeFile(join(cwd, 'views/list/list.ts'), 'import "./list.css"\nconsole.log("listed" as string)')
  await writeFile(join(cwd, 'views/list/list.css'), 'p { color: red }')
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

test('each view becomes one page', async () => {
  const { code, out, err } = await portcall(['build', 'views/chart.tsx', 'views/list/index.html', '--out', 'dist/views'], { cwd })
  expect({ code, err, out }).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(/^dist\/views\/chart.html [\d.]+ KB\ndist\/views\/list.html [\d.]+ KB\n$/),
  })
  expect(await readFile(join(cwd, 'dist/views/chart.html'), 'utf8')).toContain('Chart')
  const list = await readFile(join(cwd, 'dist/views/list.html'), 'utf8')
  expect(list).toContain('listed')
  expect(list).toMatch(/<style>p\s*\{\s*color:\s*red/)
  expect(list).not.toContain('src=')
})

test('the command of the docs works, and a large page has a warning', async () => {
  const docs = await readFile(new URL('../../docs/apps/server.md', import.meta.url), 'utf8')
  const [, args = ''] = /^portcall (build .*)$/m.exec(docs) ?? []
  await writeFile(join(cwd, 'views/chart.tsx'), `console.log("${'x'.repeat(500_000)}")`)
  const { code, err } = await portcall(args.split(' '), { cwd })
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/^warning: views\/chart.tsx: The page has 500\d{3} bytes/),
  })
  expect(await readdir(join(cwd, 'dist/views'))).toEqual(['chart.html'])
})

test('the result is data with --json, and the source map is beside the page', async () => {
  const { code, out } = await portcall(['build', 'views/chart.tsx', '--sourcemap', '--readable', '--json'], { cwd })
  expect({ code, value: JSON.parse(out) }).toEqual({
    code: 0,
    value: { views: [{ file: 'views/chart.tsx', out: 'dist/chart.html', bytes: expect.any(Number), warnings: [] }] },
  })
  expect((await readdir(join(cwd, 'dist'))).sort()).toEqual(['chart.html', 'chart.html.map'])
})

test.each([
  [['views/none.tsx'], 1, 'does not exist'],
  [['views/chart.tsx', '--bundler', 'webpack'], 2, '--bundler must be vite or rolldown, not webpack'],
  [['views/chart.tsx', '--max-asset', 'big'], 2, '--max-asset must be a number of KB, not big'],
  [['views/chart.tsx', 'views/chart.tsx'], 2, 'would both become dist/chart.html'],
  [[], 2, 'files'],
])('a mistake is named: %j', async (args, code, message) => {
  expect(await portcall(['build', ...args], { cwd })).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
})
