import { expect, test } from 'vitest'
import { connect } from '../connect/connect.ts'
import { deriveContext, type Middleware } from '../jsonrpc/exchange.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { codeMode } from './code/code-mode.ts'
import { toolSearch } from './search/tool-search.ts'
import { transform } from './transforms/apply-transforms.ts'
import { setArguments } from './transforms/arguments.ts'
import { hide, visibility } from './transforms/hide.ts'
import { describeItems, rename } from './transforms/rename.ts'
import { tag } from './transforms/tags.ts'

const createShop = (): Server =>
  createServer({ name: 'shop', version: '1' })
    .tool('delete_order', {}, () => 'deleted')
    .prompt('greet', {}, () => 'Hello')

const listBoth = async (server: Server): Promise<string[]> => {
  await using client = await connect(server)
  const tools = await client.tools().toArray()
  const prompts = await client.prompts().toArray()
  return [...tools, ...prompts].map(({ name }) => name)
}

const WRONG: { readonly [place: string]: () => Middleware } = {
  'hide() names the tool "delete_ordr"': () => transform(hide('delete_ordr')),
  'hide() names the tool "delete_ordr" ': () => transform(hide({ tools: ['delete_order', 'delete_ordr'] })),
  'hide() names the prompt "great"': () => transform(hide({ prompts: 'great' })),
  'rename() names the tool "delete_ordr"': () => transform(rename({ delete_ordr: 'remove' })),
  'rename() names the prompt "great"': () => transform(rename({ prompts: { great: 'hello' } })),
  'describeItems() names the item "delete_ordr"': () => transform(describeItems({ delete_ordr: { title: 'Delete' } })),
  'setArguments() names the tool "delete_ordr"': () => transform(setArguments({ delete_ordr: { tenant: { fixed: 'a' } } })),
  'tag() names the item "delete_ordr"': () => transform(tag({ admin: ['delete_ordr', 'greet'] })),
  'codeMode(): tools names the tool "delete_ordr"': () => codeMode({ tools: ['delete_ordr'] }),
  'codeMode(): always names the tool "delete_ordr"': () => codeMode({ always: ['delete_ordr'] }),
}

test.each(Object.entries(WRONG))('refuses a name of nothing: %s', async (message, middleware) => {
  const closest = message.includes('great') ? 'greet' : 'delete_order'
  const error = await listBoth(createShop().use(middleware())).catch((reason: Error) => reason.message)
  expect(error).toContain(`${message.trim()}, which the server does not have. Did you mean ${closest}?`)
})

const RIGHT: { readonly [place: string]: () => Middleware } = {
  'patterns, which may match nothing': () => transform(hide('admin_*'), tag({ admin: 'x*' })),
  'names that an earlier transform gives, of both kinds': () =>
    transform(
      rename({ tools: { delete_order: 'remove' }, prompts: { greet: 'hello' } }),
      describeItems({ hello: { title: 'Hello' }, remove: { title: 'Remove' } }),
      tag({ a: ['hello', 'remove'] }),
    ),
  'URIs, which need not be listed': () => transform(hide({ resources: 'shop://nothing' }), tag({ a: 'shop://nothing' })),
  // Nothing is offered or restricted by it, and a gateway must not fail when one of its servers drops a tool.
  'names of tools to list besides a search': () => toolSearch({ always: ['delete_ordr'] }),
  'names that change while the server runs': () => {
    const shown = visibility()
    shown.hide('tomorrow')
    return transform(shown)
  },
}

test.each(Object.entries(RIGHT))('accepts %s', async (_, middleware) => {
  const names = await listBoth(createShop().use(middleware()))
  expect(names.length).toBeGreaterThan(1)
})

test('accepts a name of a tool that was removed, or that another caller has', async () => {
  const server = createShop().use(transform(hide('delete_order')))
  await listBoth(server)
  server.tools.remove('delete_order')
  expect(await listBoth(server)).toEqual(['greet'])
  const asAda: Middleware = (request, context, next) => next(request, deriveContext(context, { auth: { principal: 'ada' } }))
  expect(
    await listBoth(
      createShop()
        .use(asAda)
        .use(transform(hide('admin'))),
    ),
  ).toHaveLength(2)
})
