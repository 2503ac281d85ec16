import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { App } from '../apps/view/app.ts'
import type { AppTools } from '../protocol/apps.ts'
import { defineTool } from '../server/define-tool.ts'
import { createServer } from '../server/server.ts'
import { view } from './view.ts'

const page = view({ html: '<p>Chart' })
const textPage = view({ html: '<p>Text' }, { text: true })
const output = z.object({ bars: z.array(z.number()) })

test('a server with views keeps the types of its tools', () => {
  const server = createServer({ name: 'a', version: '1' })
    .tool('draw', { input: z.object({ year: z.number() }), output, view: page }, ({ year }) => ({ bars: [year] }))
    .tool('note', { view: textPage }, () => 'noted')
  type Tools = AppTools<typeof server>
  expectTypeOf<Tools['draw']>().toEqualTypeOf<{ input: { year: number }; output: { bars: number[] } }>()
  expectTypeOf<Tools['note']['output']>().toEqualTypeOf<undefined>()
  expectTypeOf<keyof Tools>().toEqualTypeOf<'draw' | 'note'>()
})

test('a view calls a tool without arguments, if it needs none', () => {
  const server = createServer({ name: 'a', version: '1' })
    .tool('refresh', {}, () => 'new values')
    .tool('page', { input: z.object({ size: z.number().optional() }) }, () => 'x')
    .tool('draw', { input: z.object({ year: z.number() }) }, () => 'x')
  const calls = (app: App<AppTools<typeof server>>) => {
    app.call('refresh')
    app.call('refresh', {}, { timeoutMs: 1 })
    app.call('page')
    app.call('page', { size: 1 })
    app.call('draw', { year: 1 })
    // @ts-expect-error the year is missing
    app.call('draw')
    // @ts-expect-error the size is a number
    app.call('page', { size: '1' })
  }
  expectTypeOf(calls).toBeFunction()
})

test('so do tools that are defined one by one', () => {
  const tools = { draw: defineTool({ output, view: page }, () => ({ bars: [1] })) }
  createServer({ name: 'a', version: '1' }).addTools(tools)
  expectTypeOf<AppTools<typeof tools>['draw']['output']>().toEqualTypeOf<{ bars: number[] }>()
})

test('a tool without an output schema needs a view that reads text', () => {
  const server = createServer({ name: 'a', version: '1' })
  const wrong = () => {
    // @ts-expect-error the view reads structured content
    server.tool('a', { view: page }, () => 'x')
    // @ts-expect-error a path is not a view
    server.tool('b', { output, view: './chart.html' }, () => ({ bars: [] }))
    // @ts-expect-error nobody is called so
    server.tool('c', { visibility: ['user'] }, () => 'x')
    // @ts-expect-error the handler does not return what the schema says
    server.tool('d', { output, view: page }, () => ({ bars: ['1'] }))
    // @ts-expect-error the key of ChatGPT
    view({ html: '' }, { csp: { connect_domains: [] } })
    // @ts-expect-error no permission
    view({ html: '' }, { permissions: ['usb'] })
  }
  expectTypeOf(wrong).toBeFunction()
  server.tool('e', { output, view: textPage }, () => ({ bars: [] }))
  server.tool('f', { view: textPage }, () => 'x')
})
