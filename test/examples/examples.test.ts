/** The server examples: what the pages in docs/servers/ show. */
import type { Server } from 'portcall'
import type { JsonObject } from 'portcall/jsonrpc'
import { describe, expect, onTestFinished, test } from 'vitest'
import { server as cancellation } from '../../examples/cancellation.ts'
import { server as changes } from '../../examples/changes.ts'
import { server as changingTools } from '../../examples/changing-tools.ts'
import { server as completion } from '../../examples/completion.ts'
import { server as concurrentInput } from '../../examples/concurrent-input.ts'
import { server as elicitation } from '../../examples/elicitation.ts'
import { server as elicitationDeclined } from '../../examples/elicitation-declined.ts'
import { server as elicitationFields } from '../../examples/elicitation-fields.ts'
import { server as elicitationOptional } from '../../examples/elicitation-optional.ts'
import { server as elicitationUrl } from '../../examples/elicitation-url.ts'
import { createLoggedServer } from '../../examples/error-events.ts'
import { server as header } from '../../examples/header.ts'
import { server as progress } from '../../examples/progress.ts'
import { server as promptMessages } from '../../examples/prompt-messages.ts'
import { server as prompts } from '../../examples/prompts.ts'
import { server as protocolErrors } from '../../examples/protocol-errors.ts'
import { server as resourceTemplates } from '../../examples/resource-templates.ts'
import { server as resources } from '../../examples/resources.ts'
import { server as roots } from '../../examples/roots.ts'
import { server as sampling } from '../../examples/sampling.ts'
import { server as arktypeServer } from '../../examples/schemas-arktype.ts'
import { server as jsonSchemaServer } from '../../examples/schemas-json-schema.ts'
import { server as typeboxServer } from '../../examples/schemas-typebox.ts'
import { server as valibotServer } from '../../examples/schemas-valibot.ts'
import { server as zodServer } from '../../examples/schemas-zod.ts'
import { server as orders } from '../../examples/server.ts'
import { charges, server as steps } from '../../examples/steps.ts'
import { server as toolContent } from '../../examples/tool-content.ts'
import { server as toolErrors } from '../../examples/tool-errors.ts'
import { server as toolInput } from '../../examples/tool-input.ts'
import { server as toolTimeout } from '../../examples/tool-timeout.ts'
import { server as tools } from '../../examples/tools.ts'
import { server as visible } from '../../examples/visible.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { createDriver, type Driver } from '../support/driver.ts'
import type { RevisionName } from '../support/setups.ts'
import { memoryWire } from '../support/wire-memory.ts'

const MODERN = '2026-07-28'

async function talkTo(server: Server, revision: RevisionName = MODERN): Promise<Driver> {
  const peer = await createDriver((receive) => memoryWire(server, receive), { transport: 'memory', revision })
  onTestFinished(async () => {
    await peer.close()
    expect(peer.violations).toEqual([])
  })
  return peer
}

const call = async (peer: Driver, name: string, args: JsonObject = {}, options = {}): Promise<JsonObject> =>
  (await peer.request('tools/call', { name, arguments: args }, options)).result
const textOf = (result: JsonObject): unknown => (result.content as { text?: string }[] | undefined)?.[0]?.text
const namesOf = async (peer: Driver): Promise<unknown[]> =>
  ((await peer.request('tools/list')).result.tools as { name: string }[]).map(({ name }) => name)

/** Returns the contents of a resource, or the error. */
async function read(peer: Driver, uri: string): Promise<unknown> {
  const { result, error } = await peer.request('resources/read', { uri })
  return (result.contents as JsonObject[] | undefined)?.[0] ?? error
}

test('server', async () => {
  const peer = await talkTo(orders)
  expect(textOf(await call(peer, 'order_status', { id: '4711' }))).toBe('shipped')
  expect(await read(peer, 'orders://4712')).toMatchObject({ text: 'paid' })
  const { result } = await peer.request('prompts/get', { name: 'summary' })
  expect(result.messages).toMatchObject([{ content: { text: expect.stringContaining('4711') } }])
})

describe('tools', () => {
  test('tools', async () => {
    const peer = await talkTo(tools)
    expect(await namesOf(peer)).toEqual(['shout', 'divide', 'picture'])
    expect(await call(peer, 'divide', { dividend: 3, divisor: 2 })).toMatchObject({ structuredContent: { quotient: 1.5 } })
    expect(await call(peer, 'divide', { dividend: 3, divisor: 0 })).toMatchObject({
      isError: true,
      content: [{ text: 'The divisor must not be 0' }],
    })
    expect(textOf(await call(peer, 'divide', { dividend: 'x' }))).toMatch(/Invalid arguments:\n- dividend: .*\n- divisor: /)
    expect(textOf(await call(peer, 'shout', { text: 'hey' }))).toBe('HEY')
    expect(await call(peer, 'picture')).toMatchObject({ content: [{ type: 'text' }, { type: 'image' }] })
  })

  test('tool-input', async () => {
    const peer = await talkTo(toolInput)
    expect(textOf(await call(peer, 'search', { query: 'jazz' }))).toBe('At most 10 events about jazz, anywhere')
    const args = { query: 'jazz', city: 'Oslo', limit: 3, kinds: ['concert', 'talk'] }
    expect(textOf(await call(peer, 'search', args))).toBe('At most 3 concerts or talks about jazz, in Oslo')
    expect(textOf(await call(peer, 'search', { query: '' }))).toContain('- query: ')
  })

  test('tool-content', async () => {
    const peer = await talkTo(toolContent)
    const { content } = await call(peer, 'report')
    expect(content).toMatchObject(['text', 'image', 'audio', 'resource', 'resource_link'].map((type) => ({ type })))
    expect(await read(peer, 'report://sales.csv')).toMatchObject({ mimeType: 'text/csv' })
    const sum = { structuredContent: { total: 204 }, content: [{ type: 'text', text: 'A total of 204' }] }
    expect(await call(peer, 'total')).toMatchObject(sum)
  })

  test('tool-timeout', async () => {
    const peer = await talkTo(toolTimeout)
    expect(await call(peer, 'print', { pages: 1 })).toMatchObject({ content: [{ text: 'Printed 1 pages' }] })
    expect(await call(peer, 'print', { pages: 600 })).toMatchObject({
      isError: true,
      content: [{ text: 'The tool did not finish within 500 ms' }],
    })
  })

  test('visible', async () => {
    const peer = await talkTo(visible)
    expect(await namesOf(peer)).toEqual(['export'])
    expect((await peer.request('tools/call', { name: 'purge' })).error?.code).toBe(-32602)
  })

  test('changing-tools', async () => {
    const peer = await talkTo(changingTools)
    expect(await namesOf(peer)).toEqual(['order', 'close', 'hire'])
    expect(textOf(await call(peer, 'close'))).toBe('Closed')
    await call(peer, 'hire')
    expect(await namesOf(peer)).toEqual(['close', 'hire', 'wrap'])
    expect((await peer.request('tools/call', { name: 'order' })).error?.code).toBe(-32602)
  })

  test('header', async () => {
    const peer = await talkTo(header)
    const { result } = await peer.request('tools/list')
    expect(result.tools).toMatchObject([{ inputSchema: { properties: { region: { 'x-mcp-header': 'Region' } } } }])
    expect(textOf(await call(peer, 'query', { region: 'eu', text: 'all' }))).toBe('all in eu')
  })

  test.each([
    ['zod', zodServer],
    ['valibot', valibotServer],
    ['arktype', arktypeServer],
    ['typebox', typeboxServer],
    ['json-schema', jsonSchemaServer],
  ])('schemas-%s', async (_, server) => {
    const peer = await talkTo(server)
    const { result } = await peer.request('tools/list')
    const [tool] = result.tools as { inputSchema: { properties: { city: { description: string } } } }[]
    expect(tool?.inputSchema.properties.city.description.toLowerCase()).toContain('name of')
    const forecast = { structuredContent: { summary: 'Sun in Oslo for 3 days' } }
    expect(await call(peer, 'forecast', { city: 'Oslo' })).toMatchObject(forecast)
    for (const args of [{}, { city: 7 }, { city: 'Oslo', days: 99 }, { city: 'Oslo', days: 1.5 }])
      expect(await call(peer, 'forecast', args)).toMatchObject({ isError: true })
  })
})

describe('resources, prompts and completion', () => {
  test('resources', async () => {
    const peer = await talkTo(resources)
    expect(await read(peer, 'config://settings')).toMatchObject({ text: '{"color":"green"}', mimeType: 'application/json' })
    expect(await read(peer, 'bin://seed')).toMatchObject({ blob: 'AQID' })
    expect(await read(peer, 'log://today')).toMatchObject({ text: 'first line\nsecond line\n' })
  })

  test('resource-templates', async () => {
    const peer = await talkTo(resourceTemplates)
    const { result } = await peer.request('resources/list')
    expect((result.resources as { uri: string }[]).map(({ uri }) => uri)).toEqual(['book://dune', 'book://emma'])
    expect(await read(peer, 'book://dune')).toMatchObject({ text: 'Dune, 412 pages' })
    expect(await read(peer, 'book://dune?page=3')).toMatchObject({ text: 'Dune, page 3' })
    expect(await read(peer, 'book://constructor')).toMatchObject({ code: -32602 })
    expect(await read(peer, 'square://12')).toMatchObject({ text: '144' })
    expect(await read(peer, 'square://twelve')).toMatchObject({ code: -32602 })
    const ref = { type: 'ref/resource', uri: 'book://{id}{?page}' }
    const { completion: found } = (await peer.request('completion/complete', { ref, argument: { name: 'id', value: 'e' } }))
      .result
    expect(found).toMatchObject({ values: ['emma'] })
  })

  test('prompts', async () => {
    const peer = await talkTo(prompts)
    const { result } = await peer.request('prompts/get', { name: 'review', arguments: { code: '1+1' } })
    expect(result.messages).toMatchObject([{ content: { text: 'Review this code. Be kind.' } }, { content: { text: '1+1' } }])
    expect((await peer.request('prompts/get', { name: 'standup' })).result.messages).toHaveLength(1)
    expect((await peer.request('prompts/get', { name: 'review' })).error).toMatchObject({ code: -32602 })
  })

  test('prompt-messages', async () => {
    const peer = await talkTo(promptMessages)
    const { result } = await peer.request('prompts/get', { name: 'rewrite' })
    expect(result.messages).toMatchObject([{ content: { type: 'resource' } }, { role: 'assistant' }, { role: 'user' }])
    expect(await read(peer, 'docs://style-guide.md')).toMatchObject({ mimeType: 'text/markdown' })
  })

  test('completion', async () => {
    const peer = await talkTo(completion)
    const complete = async (name: string, value: string, args: JsonObject = {}): Promise<unknown> => {
      const params = { ref: { type: 'ref/prompt', name: 'visit' }, argument: { name, value }, context: { arguments: args } }
      return ((await peer.request('completion/complete', params)).result.completion as JsonObject).values
    }
    expect(await complete('country', 'N')).toEqual(['norway'])
    expect(await complete('city', 'b', { country: 'italy' })).toEqual(['Bologna'])
    expect(await complete('city', 'b')).toEqual(['Bergen', 'Bologna'])
  })
})

/** Opens a peer whose user and model answer. */
async function talkToUser(server: Server, revision: RevisionName): Promise<Driver> {
  const peer = await talkTo(server, revision)
  const registration = { name: 'Ada', email: 'ada@example.com', arrival: '2026-05-01', age: 36, size: 's', days: ['friday'] }
  const answers: Record<string, JsonObject> = {
    'For how many people, and when?': { people: 4 },
    'Pay 7?': { agreed: true },
    'How was it?': { rating: 5 },
    'What is your name?': { name: 'Ann' },
    'Sign in to connect your account': {},
    'Please fill in your registration': registration,
    'Delete a.txt permanently?': { permanently: true },
  }
  peer.onInputRequest(({ method, params }) => {
    if (method === 'roots/list') return { roots: [{ uri: 'file:///home/ann' }] }
    if (method === 'sampling/createMessage')
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Ships' }, stopReason: 'endTurn' }
    const content = answers[params.message as string]
    return content ? { action: 'accept', ...(params.mode === 'url' ? {} : { content }) } : { action: 'decline' }
  })
  return peer
}

describe.each(['2025-11-25', MODERN] as const)('input requests, %s', (revision) => {
  test.each<[string, Server, string, JsonObject, string]>([
    ['elicitation', elicitation, 'book', {}, 'A table for 4, for dinner'],
    ['elicitation-fields', elicitationFields, 'register', {}, 'Registered Ada for friday. A ticket was sent to ada@example.com'],
    ['elicitation-declined', elicitationDeclined, 'subscribe', {}, 'Not subscribed'],
    ['elicitation-optional', elicitationOptional, 'delete', { path: 'a.txt' }, 'Deleted a.txt'],
    ['elicitation-url', elicitationUrl, 'connect', {}, 'The account is connected as soon as you have signed in'],
    ['concurrent-input', concurrentInput, 'introduce', {}, 'Ann works on file:///home/ann'],
    ['sampling', sampling, 'haiku', {}, 'Ships'],
    ['roots', roots, 'list_projects', {}, 'unnamed: file:///home/ann'],
  ])('%s', async (_, server, tool, args, text) => {
    expect(textOf(await call(await talkToUser(server, revision), tool, args))).toBe(text)
  })

  test('steps', async () => {
    charges.splice(0)
    expect(textOf(await call(await talkToUser(steps, revision), 'buy', { price: 7 }))).toBe('Receipt 1, rated 5')
    expect(charges).toEqual([7])
  })
})

describe('while a call runs', () => {
  test('progress', async () => {
    const peer = await talkTo(progress)
    const counted = await peer.request('tools/call', { name: 'count', arguments: { to: 3 } }, { meta: { progressToken: 1 } })
    expect(counted.notifications.map(({ params }) => params?.progress)).toEqual([1, 2, 3])
  })

  test('cancellation', async () => {
    const peer = await talkTo(cancellation)
    expect(textOf(await call(peer, 'export'))).toBe('order 1\norder 2\norder 3\norder 4\norder 5\n')
  })

  test('changes', async () => {
    const peer = await talkTo(changes)
    const feed = await peer.changes({ promptsListChanged: true, resourceSubscriptions: ['count://visits'] })
    await call(peer, 'visit')
    await call(peer, 'learn')
    await eventually(() => expect(feed.received).toHaveLength(2))
    expect(feed.received.map(({ method }) => method)).toEqual([
      'notifications/resources/updated',
      'notifications/prompts/list_changed',
    ])
    await feed.close()
  })
})

describe('errors', () => {
  test('tool-errors', async () => {
    const peer = await talkTo(toolErrors)
    const take = async (fruit: string): Promise<unknown> => textOf(await call(peer, 'take', { fruit }))
    expect(await take('plum')).toBe('There is no plum. Available: pear')
    expect(await take('pear')).toBe('0 left')
    expect(await take('pear')).toMatch(/^The tool failed\. Reference: [0-9a-f]{8}$/)
  })

  test('error-events', async () => {
    const logged: [object, string][] = []
    const logger = { error: (details: object, message: string) => void logged.push([details, message]), warn: () => {} }
    const peer = await talkTo(createLoggedServer(logger))
    const text = textOf(await call(peer, 'fail'))
    const reference = String(text).replace('The tool failed. Reference: ', '')
    expect(reference).toMatch(/^[0-9a-f]{8}$/)
    expect(logged).toMatchObject([[{ err: { message: expect.stringContaining('db-7') }, reference }, 'tools/call fail failed']])
  })

  test('protocol-errors', async () => {
    const peer = await talkTo(protocolErrors)
    expect(await read(peer, 'archive://2001')).toMatchObject({ text: 'The yearbook of 2001' })
    expect(await read(peer, 'archive://1900')).toMatchObject({ code: -32602, message: 'Resource not found' })
    expect(await read(peer, 'archive://soon')).toEqual({
      code: -32602,
      message: 'The year must have four digits',
      data: { year: 'soon' },
    })
  })
})
