import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { JsonObject } from 'portcall/jsonrpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../../packages/portcall/test-kit/eventually.ts'
import type { Driver } from '../../support/driver.ts'
import type { Outcome } from '../../support/requests.ts'
import { closeNotes, makeFolder, openNotes, PLACES, removeFolder } from './setup.ts'

const FILES = {
  'garden.md': '# The garden\n\nTomatoes want sun.\n',
  'ideas/shed.md': '# A shed\n\nFor the garden tools. Garden first.\n',
  'plain.txt': 'Nothing to see\n',
  'with space & sign#.md': 'odd\n',
  '.secret.md': 'hidden garden\n',
  'picture.png': 'no note\n',
}

const call = (peer: Driver, name: string, args: JsonObject = {}, options = {}): Promise<Outcome> =>
  peer.request('tools/call', { name, arguments: args }, options)
const textOf = ({ result }: Outcome): unknown => (result.content as { text: string }[] | undefined)?.[0]?.text
const say = (peer: Driver, answer: JsonObject): string[] => {
  const messages: string[] = []
  peer.onInputRequest(({ params }) => {
    messages.push(params.message as string)
    return answer
  })
  return messages
}
const yes = { action: 'accept', content: { confirm: true } }

describe.each(PLACES)('notes over $transport, $revision', (place) => {
  let folder: string
  let peer: Driver
  beforeAll(async () => {
    folder = await makeFolder(FILES)
    peer = await openNotes(folder, place)
  })
  afterAll(async () => {
    await closeNotes(peer)
    await removeFolder(folder)
  })

  test('lists the files of the folder', async () => {
    const tools = (await peer.request('tools/list')).result.tools as { name: string }[]
    expect(tools.map(({ name }) => name)).toEqual(['search', 'read', 'reindex', 'write', 'delete'])
    const prompts = (await peer.request('prompts/list')).result.prompts as { name: string }[]
    expect(prompts.map(({ name }) => name)).toEqual(['summarise', 'answer'])
    const { resourceTemplates } = (await peer.request('resources/templates/list')).result
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'notes://{+path}' }])
    const resources = (await peer.request('resources/list')).result.resources as { name: string; title: string; uri: string }[]
    expect(resources.map(({ name }) => name)).toEqual(['garden.md', 'ideas/shed.md', 'plain.txt', 'with space & sign#.md'])
    expect(resources[0]?.title).toBe('The garden')
    for (const { name, uri } of resources) {
      const { result } = await peer.request('resources/read', { uri })
      expect(result.contents).toMatchObject([{ uri, text: FILES[name as keyof typeof FILES] }])
    }
    expect(peer.server.instructions).toContain('Search first')
  })

  test('searches, with structured output', async () => {
    const { result } = await call(peer, 'search', { query: 'GARD' })
    expect(result.structuredContent).toEqual({
      total: 2,
      matches: [
        {
          path: 'ideas/shed.md',
          uri: 'notes://ideas/shed.md',
          title: 'A shed',
          line: 3,
          text: 'For the garden tools. Garden first.',
          score: 2,
        },
        { path: 'garden.md', uri: 'notes://garden.md', title: 'The garden', line: 1, text: '# The garden', score: 1 },
      ],
    })
    const narrow = await call(peer, 'search', { query: 'garden tools', limit: 1 })
    expect(narrow.result.structuredContent).toMatchObject({ total: 1, matches: [{ path: 'ideas/shed.md' }] })
    expect((await call(peer, 'search', { query: '!' })).result.structuredContent).toEqual({ total: 0, matches: [] })
  })

  test('reports the progress of reindex', async () => {
    const { result, notifications } = await call(peer, 'reindex', {}, { meta: { progressToken: 'p' } })
    const progress = notifications.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)
    expect(progress).toMatchObject([1, 2, 3, 4].map((progress) => ({ progressToken: 'p', progress, total: 4 })))
    expect(result.structuredContent).toMatchObject({ notes: 4 })
  })

  test('completes paths, and puts notes into prompts', async () => {
    const complete = async (ref: JsonObject, name: string, value: string): Promise<unknown> =>
      ((await peer.request('completion/complete', { ref, argument: { name, value } })).result.completion as JsonObject).values
    expect(await complete({ type: 'ref/resource', uri: 'notes://{+path}' }, 'path', 'SHED')).toEqual(['ideas/shed.md'])
    expect(await complete({ type: 'ref/prompt', name: 'summarise' }, 'path', 'gar')).toEqual(['garden.md'])
    expect(await complete({ type: 'ref/prompt', name: 'summarise' }, 'length', 'one')).toEqual(['one sentence', 'one paragraph'])
    const { result } = await peer.request('prompts/get', { name: 'summarise', arguments: { path: 'garden.md' } })
    expect(result.messages).toMatchObject([
      { content: { type: 'resource', resource: { uri: 'notes://garden.md', text: FILES['garden.md'] } } },
      { content: { type: 'text', text: 'Summarise this note in one paragraph.' } },
    ])
    const missing = await peer.request('prompts/get', { name: 'summarise', arguments: { path: 'none.md' } })
    expect(missing.error?.code).toBe(-32602)
    const answer = await peer.request('prompts/get', { name: 'answer', arguments: { question: 'Where?', words: 'garden' } })
    expect(answer.result.messages).toHaveLength(3)
  })

  test('writes a new note without confirmation, and finds it immediately', async () => {
    expect(textOf(await call(peer, 'write', { path: 'new/deep/one.md', text: 'zebra' }))).toBe('Wrote new/deep/one.md.')
    expect(await readFile(join(folder, 'new/deep/one.md'), 'utf8')).toBe('zebra')
    expect((await call(peer, 'search', { query: 'zebra' })).result.structuredContent).toMatchObject({ total: 1 })
    expect(textOf(await call(peer, 'read', { path: 'new/deep/one.md' }))).toBe('zebra')
  })

  test('requests confirmation before it overwrites, and keeps the file when the user declines', async () => {
    for (const answer of [{ action: 'accept', content: { confirm: false } }, { action: 'decline' }, { action: 'cancel' }]) {
      const asked = say(peer, answer)
      await call(peer, 'write', { path: 'garden.md', text: 'x' })
      expect(asked).toEqual(['Overwrite garden.md (33 bytes)?'])
      expect(await readFile(join(folder, 'garden.md'), 'utf8')).toBe(FILES['garden.md'])
    }
    say(peer, yes)
    expect(textOf(await call(peer, 'write', { path: 'garden.md', text: 'x' }))).toBe('Overwrote garden.md.')
    expect(await readFile(join(folder, 'garden.md'), 'utf8')).toBe('x')
  })

  test('requests confirmation before it deletes', async () => {
    say(peer, { action: 'decline' })
    expect((await call(peer, 'delete', { path: 'plain.txt' })).result.isError).toBe(true)
    expect(existsSync(join(folder, 'plain.txt'))).toBe(true)
    say(peer, yes)
    expect(textOf(await call(peer, 'delete', { path: 'plain.txt' }))).toBe('Deleted plain.txt.')
    expect(existsSync(join(folder, 'plain.txt'))).toBe(false)
    expect((await call(peer, 'delete', { path: 'plain.txt' })).result.isError).toBe(true)
  })

  test('does nothing when the client cannot elicit', async () => {
    const mute = await openNotes(folder, { ...place, capabilities: {} })
    const { error } = await call(mute, 'delete', { path: 'ideas/shed.md' })
    expect(error?.message).toContain('elicitation')
    expect(existsSync(join(folder, 'ideas/shed.md'))).toBe(true)
    expect(textOf(await call(mute, 'write', { path: 'fresh.md', text: 'x' }))).toBe('Wrote fresh.md.')
    await closeNotes(mute)
  })

  test('announces changes on disk', async () => {
    const uri = 'notes://garden.md'
    const changes = await peer.changes({ resourcesListChanged: true, resourceSubscriptions: [uri] })
    const next = async (...methods: string[]): Promise<void> => {
      await eventually(() => expect(changes.received.map(({ method }) => method)).toEqual(expect.arrayContaining(methods)))
      changes.received.splice(0)
    }

    await writeFile(join(folder, 'garden.md'), 'Peas')
    await next('notifications/resources/updated')
    await writeFile(join(folder, 'draft.tmp'), 'Beans, replaced as editors do')
    await rename(join(folder, 'draft.tmp'), join(folder, 'garden.md'))
    await next('notifications/resources/updated')
    await writeFile(join(folder, 'ideas/later.md'), 'pond')
    await next('notifications/resources/list_changed')
    // The file can be announced when it has been created and is still empty.
    await eventually(async () => {
      expect((await call(peer, 'search', { query: 'pond' })).result.structuredContent).toMatchObject({ total: 1 })
    })
    await rm(join(folder, 'garden.md'))
    await next('notifications/resources/list_changed', 'notifications/resources/updated')
    await changes.close()
  })
})
