import { describe, expect, test } from 'vitest'
import type { CompletionRef } from '../client/queries.ts'
import { transform } from '../compose/transforms/apply-transforms.ts'
import { filterItems, hide } from '../compose/transforms/hide.ts'
import { connect } from '../connect/connect.ts'
import type { Exchange, Middleware } from '../jsonrpc/exchange.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { createGateway } from './gateway.ts'
import { toolSet } from './policy/tool-set.ts'

/** A server with hidden items. */
interface HidingServer {
  readonly exchange: Exchange | Server
  /** Returns the name of an item that callers see. */
  readonly nameOf?: (name: string) => string
}

const NOBODY = { visible: () => false }
const args = { type: 'object', properties: { topic: { type: 'string' } } } as const
const complete = { topic: () => ['one'] }

function createNotes(options: { readonly visible?: () => boolean } = {}): Server {
  return createServer({ name: 'notes', version: '1' })
    .tool('hidden', options, () => 'done')
    .tool('open', {}, () => 'done')
    .prompt('hidden', { ...options, arguments: args, complete }, () => 'Hello')
    .prompt('open', { arguments: args, complete }, () => 'Hello')
    .resource('notes://hidden', options, () => 'text')
    .resource('notes://hidden/{topic}', { ...options, complete }, () => 'text')
    .resource('notes://open/{topic}', { complete }, () => 'text')
}

const around = (middleware: Middleware): HidingServer => ({ exchange: createNotes().use(middleware) })
const gateway = (notes: Server, ...middleware: Middleware[]): HidingServer => ({
  exchange: createGateway({ servers: { notes }, middleware }).exchange,
  nameOf: (name) => `notes__${name}`,
})

const LAYERS: { readonly [layer: string]: () => HidingServer } = {
  'a server': () => ({ exchange: createNotes(NOBODY) }),
  'the transform hide': () => around(transform(hide({ tools: 'hidden', prompts: 'hidden', resources: 'notes://hidden*' }))),
  'the transform filterItems': () => around(transform(filterItems(({ name }) => !name.includes('hidden')))),
  'a gateway': () => gateway(createNotes(NOBODY)),
  'a tool set': () =>
    gateway(createNotes(), toolSet({ exclude: '*hidden', prompts: ['*open', '*absent'], resources: 'notes://open/*' })),
}

const REQUESTS: { readonly [request: string]: (name: string) => { method: string; params: object } } = {
  'tools/call': (name) => ({ method: 'tools/call', params: { name } }),
  'prompts/get': (name) => ({ method: 'prompts/get', params: { name } }),
  'completion of a prompt': (name) => completion({ type: 'ref/prompt', name }),
}

const completion = (ref: CompletionRef): { method: string; params: object } => ({
  method: 'completion/complete',
  params: { ref, argument: { name: 'topic', value: '' } },
})

describe.each(Object.keys(LAYERS))('%s', (layer) => {
  test.each(Object.keys(REQUESTS))('answers %s of a hidden item like that of an absent one', async (request) => {
    const { exchange, nameOf = (name: string) => name } = (LAYERS[layer] as () => HidingServer)()
    await using client = await connect(exchange)
    const errorFor = async (name: string): Promise<object> => {
      const { method, params } = (REQUESTS[request] as (typeof REQUESTS)[string])(nameOf(name))
      const error = await client.request(method, params as never).catch((thrown) => thrown)
      // A server behind a gateway uses its own names.
      return { code: error.code, message: error.message.replace('notes__', ''), data: error.data }
    }
    const kind = request === 'tools/call' ? 'tool' : 'prompt'
    const expected = (name: string) => ({ code: -32602, message: `Invalid params: Unknown ${kind}: ${name}` })
    expect(await errorFor('hidden')).toEqual(expected('hidden'))
    expect(await errorFor('absent')).toEqual(expected('absent'))
  })

  test('answers the completion of a hidden template like that of an absent one', async () => {
    const { exchange } = (LAYERS[layer] as () => HidingServer)()
    await using client = await connect(exchange)
    for (const uri of ['notes://hidden/{topic}', 'notes://absent/{topic}']) {
      const { method, params } = completion({ type: 'ref/resource', uri })
      const error = await client.request(method, params as never).catch((thrown) => thrown)
      expect([error.code, error.message]).toEqual([-32602, `Invalid params: Unknown resource template: ${uri}`])
    }
  })
})
