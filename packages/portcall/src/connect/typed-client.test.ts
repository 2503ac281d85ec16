import { expect, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { Client } from '../client/types.ts'
import { createServer } from '../server/server.ts'
import { connectPair } from '../testing/pair/pair.ts'
import { connect, type PromptsOf, type ResourcesOf } from './connect.ts'

const server = createServer({ name: 'team', version: '1.0.0' })
  .tool('ping', {}, () => 'pong')
  .prompt(
    'review',
    {
      arguments: z.object({ code: z.string(), tone: z.enum(['kind', 'strict']).optional(), limit: z.coerce.number().default(3) }),
    },
    ({ code, tone, limit }) => `${code} ${tone} ${limit}`,
  )
  .resource('notes://all', {}, () => 'all notes')
  .use((request, context, next) => next(request, context))
  .prompt(
    'report',
    { arguments: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] } },
    ({ topic }) => topic,
  )
  .prompt('hello', {}, () => 'Say hello')
  .resource('notes://by/{author}/{year}', {}, ({ author, year }) => `${author} in ${year}`)
  .resource('search://notes{?query,limit}', {}, ({ query }) => `notes with ${String(query)}`)

test('prompts have the names and arguments of the server', async () => {
  await using client = await connect<typeof server>(server)
  const text = async (result: ReturnType<typeof client.getPrompt>) => (await result).messages[0]?.content
  expect(await text(client.getPrompt('review', { code: 'x', limit: '5' }))).toMatchObject({ text: 'x undefined 5' })
  expect(await text(client.getPrompt('review', { code: 'x', tone: 'kind' }))).toMatchObject({ text: 'x kind 3' })
  expect(await text(client.getPrompt('report', { topic: 'sales' }))).toMatchObject({ text: 'sales' })
  expect(await text(client.getPrompt('hello'))).toMatchObject({ text: 'Say hello' })

  type Prompts = PromptsOf<typeof server>
  expectTypeOf<keyof Prompts>().toEqualTypeOf<'review' | 'report' | 'hello'>()
  expectTypeOf<Prompts['review']['code']>().toEqualTypeOf<string>()
  expectTypeOf<Prompts['review']['tone']>().toEqualTypeOf<'kind' | 'strict' | undefined>()
  expectTypeOf<Prompts['report']['topic']>().toEqualTypeOf<string>()
  // @ts-expect-error there is no such prompt
  await expect(client.getPrompt('reviews', { code: 'x' })).rejects.toThrow('Unknown prompt')
  // @ts-expect-error an argument has another name
  await expect(client.getPrompt('report', { topics: 'x' })).rejects.toThrow('topic')
  // @ts-expect-error an argument is not a string
  await expect(client.getPrompt('report', { topic: 1 })).rejects.toThrow('topic')
  // @ts-expect-error arguments are sent as strings
  await client.getPrompt('review', { code: 'x', limit: 5 })
})

test('resources have the URIs of the server', async () => {
  await using client = await connect<typeof server>(server)
  const text = async (result: ReturnType<typeof client.readResource>) => (await result).contents[0]
  const author: string = 'ada'
  expect(await text(client.readResource('notes://all'))).toMatchObject({ text: 'all notes' })
  expect(await text(client.readResource('notes://by/ada/2026'))).toMatchObject({ text: 'ada in 2026' })
  expect(await text(client.readResource(`notes://by/${author}/2026`))).toMatchObject({ text: 'ada in 2026' })
  expect(await text(client.readResource('search://notes'))).toMatchObject({ text: 'notes with undefined' })
  const listed = await client.resources().toArray()
  for (const { uri } of listed) expect(await text(client.readResource(uri))).toMatchObject({ text: 'all notes' })

  expectTypeOf<ResourcesOf<typeof server>>().toEqualTypeOf<
    'notes://all' | `notes://by/${string}/${string}` | `search://notes${string}`
  >()
  // @ts-expect-error there is no such resource
  await expect(client.readResource('notes://none')).rejects.toThrow('not found')
  // @ts-expect-error no template has such URIs
  await expect(client.readResource(`notes://of/${author}`)).rejects.toThrow('not found')
})

test('without prompts and resources in the type, any are possible', async () => {
  const separate = createServer({ name: 'separate', version: '1.0.0' }).tool('ping', {}, () => 'pong')
  separate.prompt('hello', { arguments: z.object({ name: z.string() }) }, ({ name }) => `Say hello to ${name}`)
  separate.resource('notes://all', {}, () => 'all notes')
  await using client = await connect<typeof separate>(separate)
  expect(await client.getPrompt('hello', { name: 'Ada' })).toMatchObject({
    messages: [{ content: { text: 'Say hello to Ada' } }],
  })
  expect(await client.readResource('notes://all')).toMatchObject({ contents: [{ text: 'all notes' }] })

  expectTypeOf<PromptsOf<typeof separate>>().toEqualTypeOf<{ [name: string]: Record<string, string> }>()
  expectTypeOf<ResourcesOf<typeof separate>>().toEqualTypeOf<string>()
  await using untyped = await connect(server)
  expectTypeOf(untyped).toExtend<Client>()
  await expect(untyped.getPrompt('none', { any: 'x' })).rejects.toThrow('Unknown prompt')
  await expect(untyped.readResource('none://')).rejects.toThrow('not found')
})

test('a computed name or URI is as wide as its type', () => {
  const name: string = 'computed'
  const dynamic = createServer({ name: 'dynamic', version: '1.0.0' })
    .prompt(name, {}, () => '')
    .resource(`notes://${name}`, {}, () => '')
    .resource(`files://${name}/{id}`, {}, () => '')
  expectTypeOf<keyof PromptsOf<typeof dynamic> & string>().toEqualTypeOf<string>()
  expectTypeOf<ResourcesOf<typeof dynamic>>().toEqualTypeOf<`notes://${string}` | `files://${string}/${string}`>()
})

test('a client with typed prompts and resources can be used where any client is expected', async () => {
  const prompts = createServer({ name: 'prompts', version: '1.0.0' })
    .prompt('hello', { arguments: z.object({ name: z.string() }) }, ({ name }) => name)
    .resource('notes://all', {}, () => 'all notes')
  await using client = await connectPair(prompts)
  const names = async (any: Client) => (await any.prompts().toArray()).map((prompt) => prompt.name)
  expect(await names(client)).toEqual(['hello'])
})
