import { createHash } from 'node:crypto'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { createServer } from '../server/server.ts'
import { connectPair } from '../testing/pair/pair.ts'
import { skills as clientSkills } from './client.ts'
import { SKILL_LIMITS, type SkillEntry } from './entry.ts'
import { type SkillsOptions, skills } from './server.ts'

const manifest = (name: string, body = 'Do it well.') => `---\nname: ${name}\ndescription: About ${name}\n---\n${body}\n`
const URI = 'skill://pdf/SKILL.md'

async function put(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), content)
}

interface Setup extends SkillsOptions {
  readonly limits?: { readonly maxFiles?: number; readonly maxBytes?: number }
}

/** Serves a folder, and connects a client. */
async function open(files: { readonly [path: string]: string | Uint8Array }, { limits = {}, ...options }: Setup = {}) {
  const folder = temporaryFolder()
  for (const [path, content] of Object.entries(files)) await put(folder, path, content)
  const problems: string[] = []
  const server = createServer(
    { name: 'I am the user', version: '1' },
    { extensions: [skills(options)], onEvent: (event) => problems.push('error' in event ? String(event.error) : event.type) },
  )
  const served = await server.skills(folder, { watch: false })
  const client = await connectPair(server, { extensions: [clientSkills({ label: 'office', ...limits })] })
  onTestFinished(async () => {
    await client.close()
    server.close()
  })
  const reads: string[] = []
  server.use((request, context, next) => {
    if (request.method === 'resources/read') reads.push(String(request.params?.uri))
    return next(request, context)
  })
  return { folder, served, client, problems, reads, server }
}

const SMALL = { 'pdf/SKILL.md': manifest('pdf'), 'pdf/a b.txt': 'one', 'pdf/inner/SKILL.md': manifest('inner') }
const LOAD = { uri: URI, frontmatter: { name: 'pdf', description: 'About pdf' } }
const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
const fileOf = (uri: string, size: number) => ({ uri, size, digest: digestOf('') })

test('SKL-034 serves and loads 512 files and 16,777,216 bytes, and not one more', async () => {
  const text = manifest('pdf')
  const rest = SKILL_LIMITS.maxBytes - text.length
  const { client, folder, served, problems } = await open({ 'pdf/SKILL.md': text, 'pdf/big.bin': new Uint8Array(rest) })
  const skill = await client.skills.load(URI)
  expect((await skill.read('big.bin')).bytes).toHaveLength(rest)
  await put(folder, 'pdf/big.bin', new Uint8Array(rest + 1))
  await served.refresh()
  expect(problems.join()).toMatch(/exceeds the limit on its total size/)

  const many = Object.fromEntries(Array.from({ length: 511 }, (_, n) => [`pdf/${n}.txt`, '']))
  const full = await open({ 'pdf/SKILL.md': text, ...many })
  expect((await full.client.skills.load(URI)).files()).toHaveLength(512)
  await put(full.folder, 'pdf/more.txt', '')
  await full.served.refresh()
  expect(full.problems.join()).toMatch(/513 files, but the limit is 512/)
})

test('SKL-034 SKL-036 counts over the entry before anything is read, and can be told to accept more', async () => {
  const filler = (count: number, size: number): SkillEntry => ({
    ...LOAD,
    resources: [fileOf(URI, 0), ...Array.from({ length: count }, (_, n) => fileOf(`skill://pdf/${n}`, size))],
  })
  const { client, reads } = await open(SMALL)
  for (const entry of [filler(512, 0), filler(1, SKILL_LIMITS.maxBytes + 1), filler(2, SKILL_LIMITS.maxBytes / 2 + 1)])
    await expect(client.skills.load(entry)).rejects.toMatchObject({ reason: 'limit' })
  expect(reads).toEqual([])
  const lenient = await open(SMALL, { limits: { maxFiles: 513, maxBytes: 1e9 } })
  await expect(lenient.client.skills.load(filler(512, 1e6))).resolves.toMatchObject({ isChanged: true })
})

test('SKL-035 counts what was retrieved of a dynamic skill', async () => {
  const { client, server } = await open(SMALL, { limits: { maxBytes: 100 } })
  const text = manifest('pdf')
  server.use((request, context, next) => {
    if (request.method !== 'skills/get') return next(request, context)
    return Promise.resolve({
      jsonrpc: '2.0',
      id: request.id,
      result: { resultType: 'complete', skill: { ...LOAD, resources: 'dynamic' } },
    })
  })
  const skill = await client.skills.load(URI)
  expect(skill.files()).toBeUndefined()
  for (let size = text.length; size + 3 <= 100; size += 3) await skill.read('a%20b.txt')
  await expect(skill.read('a%20b.txt')).rejects.toMatchObject({ reason: 'limit' })
  for (const outside of ['%2e%2e/mail/SKILL.md', 'skill://pdf/%2E%2E/x', 'x/%2e%2e/%2e%2e/y'])
    await expect(skill.read(outside)).rejects.toMatchObject({ reason: 'unlisted' })
})

test('SKL-037 SKL-051 verifies each read, and what callers do to the bytes does not reach the cache', async () => {
  const { client, reads } = await open(SMALL)
  const skill = await client.skills.load(URI)
  const first = await skill.read('a b.txt')
  first.bytes.fill(0)
  expect(Buffer.from((await skill.read('a b.txt')).bytes).toString()).toBe('one')
  expect(reads).toEqual([URI, 'skill://pdf/a%20b.txt'])
})

test('SKL-038 SKL-039 SKL-040 holds the entry, names a changed skill as such, and voids its approvals', async () => {
  const { client, folder, served } = await open({ ...SMALL, 'pdf/kept.txt': 'kept' })
  const skill = await client.skills.load(URI)
  await client.skills.approvals.approve(skill.entry, 'scripts')
  await put(folder, 'pdf/a b.txt', 'two')
  await put(folder, 'pdf/new.txt', 'new')
  await served.refresh()
  expect((await skill.read('kept.txt')).text).toBe('kept')
  await expect(skill.read('new.txt')).rejects.toMatchObject({ reason: 'unlisted' })
  expect(await client.skills.approvals.has(skill.entry, 'scripts')).toBe(true)
  const error = await skill.read('a b.txt').catch((reason: unknown) => reason as { reason: string; entry: SkillEntry })
  expect(error).toMatchObject({ name: 'SkillError', reason: 'changed', entry: { uri: URI } })
  expect(await client.skills.approvals.has(skill.entry, 'scripts')).toBe(false)
  const current = (error as { entry: SkillEntry }).entry
  expect(await client.skills.approvals.has(current, 'scripts')).toBe(false)
  expect(await client.skills.load(skill.entry)).toMatchObject({ isChanged: false })
  await put(folder, 'pdf/SKILL.md', manifest('pdf', 'Do it otherwise.'))
  await served.refresh()
  expect(await client.skills.load(skill.entry)).toMatchObject({ isChanged: true, body: 'Do it otherwise.\n' })
})

test('SKL-041 compares URIs independent of their encoding, and reads by the spelling of the entry', async () => {
  const { client, reads } = await open(SMALL)
  const skill = await client.skills.load(URI)
  for (const spelling of ['a b.txt', 'a%20b.txt', '%61%20b.txt', 'skill://pdf/%61 b.txt'])
    expect((await skill.read(spelling)).text).toBe('one')
  expect(new Set(reads)).toEqual(new Set([URI, 'skill://pdf/a%20b.txt']))
  for (const uri of ['skill://pdf/%2e%2e/x', 'skill://pdf/./x', 'skill://pdf%2Fx'])
    await expect(client.skills.load({ ...LOAD, resources: [fileOf(URI, 1), fileOf(uri, 1)] })).resolves.toMatchObject({
      isChanged: true,
    })
})

test('SKL-042 a change in a nested skill changes both entries, and reading it as a file is no load', async () => {
  const { client, folder, served } = await open(SMALL)
  const inner = 'skill://pdf/inner/SKILL.md'
  const before = await Promise.all([URI, inner].map((uri) => client.skills.get(uri)))
  await put(folder, 'pdf/inner/SKILL.md', manifest('inner', 'Otherwise.'))
  await served.refresh()
  const after = await Promise.all([URI, inner].map((uri) => client.skills.get(uri)))
  for (const [at, entry] of before.entries()) expect(after[at]?.resources).not.toEqual(entry.resources)
  const read = await (await client.skills.load(URI)).read('inner/SKILL.md')
  expect(Object.keys(read).sort()).toEqual(['bytes', 'text', 'uri'])
})

test('SKL-043 a client ignores reserved metadata that it does not know', async () => {
  const text = '---\nname: pdf\ndescription: About pdf\nmetadata:\n  io.modelcontextprotocol/new: x\n---\nHi\n'
  const { client, server } = await open(SMALL)
  const entry = {
    uri: URI,
    frontmatter: { name: 'pdf', description: 'About pdf', metadata: { 'io.modelcontextprotocol/new': 'x' } },
    resources: [{ uri: URI, size: text.length, digest: digestOf(text) }],
  }
  server.use((request, context, next) =>
    request.method === 'resources/read'
      ? Promise.resolve({
          jsonrpc: '2.0',
          id: request.id,
          result: { resultType: 'complete', contents: [{ uri: URI, text }], ttlMs: 0, cacheScope: 'private' },
        })
      : next(request, context),
  )
  expect(await client.skills.load(entry)).toMatchObject({ body: 'Hi\n', isChanged: false })
})

test('SKL-044 SKL-047 answers with the codes of the specification, and with cache members for directories', async () => {
  const { client } = await open(SMALL, { directoryRead: true })
  const wrong: [method: string, uri: unknown][] = [
    ['skills/get', 'skill://none/SKILL.md'],
    ['skills/get', 'skill://pdf/a%20b.txt'],
    ['skills/get', 7],
    ['resources/directory/read', 'skill://none'],
    ['resources/directory/read', URI],
    ['resources/read', 'skill://pdf/none.txt'],
  ]
  for (const [method, uri] of wrong) await expect(client.request(method, { uri })).rejects.toMatchObject({ code: -32602 })
  expect(await client.request('resources/directory/read', { uri: 'skill://pdf' })).toMatchObject({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'public',
  })
})

test('SKL-047 reads directories without cache members', async () => {
  const { client, server } = await open(SMALL, { directoryRead: true })
  server.use((request, context, next) =>
    request.method === 'resources/directory/read'
      ? Promise.resolve({
          jsonrpc: '2.0',
          id: request.id,
          result: { resultType: 'complete', resources: [{ uri: 'a:b', name: 'b' }] },
        })
      : next(request, context),
  )
  expect(await client.skills.directory('skill://pdf').toArray()).toMatchObject([{ name: 'b' }])
})

test('SKL-046 announces a change of content alone', async () => {
  const { client, folder, served } = await open(SMALL)
  const changes = client.listen({ resourcesListChanged: true })
  await changes.acknowledged
  await put(folder, 'pdf/SKILL.md', manifest('pdf', 'Otherwise.'))
  await served.refresh()
  for await (const { type } of changes) {
    expect(type).toBe('resources')
    break
  }
})

test('SKL-045 keeps lists for their ttlMs, until the server announces a change, and entries not at all', async () => {
  const { client, server, folder, served } = await open(SMALL, { directoryRead: true, cache: { ttlMs: 3_600_000 } })
  const sent: string[] = []
  server.use((request, context, next) => {
    sent.push(request.method)
    return next(request, context)
  })
  const methods = ['skills/list', 'resources/directory/read', 'skills/get']
  const readAll = async (): Promise<string[]> => {
    sent.length = 0
    await client.skills.list().toArray()
    await client.skills.directory('skill://pdf').toArray()
    await client.skills.get(URI)
    return sent.filter((method) => methods.includes(method))
  }
  expect(await readAll()).toEqual(methods)
  expect(await readAll()).toEqual(['skills/get'])
  const changes = client.listen({ resourcesListChanged: true })
  await changes.acknowledged
  await put(folder, 'other/SKILL.md', manifest('other'))
  await served.refresh()
  for await (const { type } of changes) if (type === 'resources') break
  expect(await readAll()).toEqual(methods)
  expect((await client.skills.list().toArray()).map(({ uri }) => uri)).toContain('skill://other/SKILL.md')
})

test('SKL-049 keeps the last valid catalogue when a skill breaks, and reports it', async () => {
  const { client, folder, served, problems, reads } = await open(SMALL)
  const skill = await client.skills.load(URI)
  const before = await client.skills.list().toArray()
  await put(folder, 'pdf/inner/SKILL.md', '# broken')
  await put(folder, 'other/SKILL.md', manifest('other'))
  await served.refresh()
  expect(await client.skills.list().toArray()).toEqual(before)
  expect(problems.join()).toMatch(/inner has no frontmatter/)
  expect((await skill.read('a b.txt')).text).toBe('one')
  await expect(skill.read('inner/SKILL.md')).rejects.toMatchObject({ code: -32602 })
  expect(reads).toContain('skill://pdf/inner/SKILL.md')
  await put(folder, 'pdf/inner/SKILL.md', manifest('inner'))
  await served.refresh()
  expect((await client.skills.list().toArray()).map(({ uri }) => uri)).toContain('skill://other/SKILL.md')
})

test.each([
  ['other bytes under the old digest', (folder: string) => put(folder, 'pdf/a b.txt', 'evil'), 'changed'],
  [
    'a link to a hidden file of the folder',
    async (folder: string) => {
      await put(folder, '.secret', 'one!')
      await rm(join(folder, 'pdf/a b.txt'))
      await symlink(join(folder, '.secret'), join(folder, 'pdf/a b.txt'))
    },
    'missing',
  ],
  ['a missing file', (folder: string) => rm(join(folder, 'pdf/a b.txt')), 'missing'],
] as const)('SKL-050 does not serve %s', async (_, change, outcome) => {
  const { client, folder } = await open(SMALL)
  const { entry } = await client.skills.load(URI)
  await change(folder)
  // The folder is not watched: the read finds it out. A file that has changed is published anew before it is served.
  const read = client.request('resources/read', { uri: 'skill://pdf/a%20b.txt' })
  if (outcome === 'missing') await expect(read).rejects.toMatchObject({ code: -32602 })
  else expect(await read).toMatchObject({ contents: [{ text: 'evil' }] })
  expect((await client.skills.get(URI)).resources).not.toEqual(entry.resources)
})

test('SKL-050 refuses changed bytes while the skill cannot be published', async () => {
  const { client, folder } = await open(SMALL)
  const before = await client.skills.get(URI)
  await put(folder, 'pdf/SKILL.md', '# no longer a skill')
  await expect(client.request('resources/read', { uri: URI })).rejects.toMatchObject({ code: -32602 })
  expect(await client.skills.get(URI)).toEqual(before)
})

test('SKL-052 SKL-053 answers about files from the entry, and does not read children that only a directory names', async () => {
  const { client, folder, served, reads } = await open(SMALL, { directoryRead: true })
  const skill = await client.skills.load(URI)
  await put(folder, 'pdf/new.txt', 'new')
  await served.refresh()
  const names = (await client.skills.directory('skill://pdf').toArray()).map(({ name }) => name)
  expect(names).toContain('new.txt')
  expect(skill.files()).toEqual(['skill://pdf/SKILL.md', 'skill://pdf/a%20b.txt', 'skill://pdf/inner/SKILL.md'])
  await expect(skill.read('new.txt')).rejects.toMatchObject({ reason: 'unlisted' })
  expect(reads).toEqual([URI])
})

test('SKL-054 names the server by the label of the host, never by its own name', async () => {
  const { client } = await open(SMALL)
  const { prompt, identity } = await client.skills.load(URI)
  expect(identity.server).toBe('office')
  expect(prompt).toMatch(/server="office"/)
  expect(prompt).not.toContain('I am the user')
  expect(prompt).toMatch(/no more authority than that server/)
})
