import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { LEGACY_VERSIONS, MODERN_VERSIONS } from '../../protocol/revisions.ts'
import type { ServerEvent } from '../../server/events.ts'
import { createServer } from '../../server/server.ts'
import type { ToolView } from '../../server/tool-view.ts'
import { connectPair } from '../../testing/pair/pair.ts'
import { approvalView, chartView, choiceView, formView, tableView } from './described-views.ts'

const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const Anything = z.record(z.string(), z.unknown())
const Contact = z.object({ name: z.string().min(1), age: z.number().int().min(18).optional() })

function serverWith(view: ToolView, data: object) {
  const events: ServerEvent[] = []
  const server = createServer({ name: 'gallery', version: '1' }, { onEvent: (event) => void events.push(event) })
  server.tool('show', { output: Anything, view }, () => ({ structuredContent: data as Record<string, unknown> }))
  return { server, events }
}

/** The text that the tool returns, and the description in its page. */
async function shownBy(view: ToolView, data: object, options: object = {}) {
  const { server, events } = serverWith(view, data)
  await using client = await connectPair(server, options)
  const { content, structuredContent } = await client.callTool('show')
  const [tool] = await client.tools().toArray()
  const { ui } = (tool?._meta ?? {}) as { ui?: { resourceUri: string } }
  const resourceUri = ui?.resourceUri ?? ''
  const { contents } = await client.readResource(resourceUri)
  const html = (contents[0] as { text: string }).text
  const [, json = ''] = /<script type="application\/json" id="spec">(.*?)<\/script>/.exec(html) ?? []
  const spec = JSON.parse(json)
  const [block] = content as { text: string }[]
  return { text: block?.text, structuredContent, html, spec, uri: resourceUri, events }
}

const ROWS = {
  rows: [
    { month: 'Jan', sales: 1200, link: 'a|b' },
    { month: 'Feb', sales: 3.5 },
  ],
}
const TABLE = '| Month | Sales | Link |\n|---|---|---|\n| Jan | 1,200 | a\\|b |\n| Feb | 3.5 |  |'

describe.each([...LEGACY_VERSIONS, ...MODERN_VERSIONS])('over %s', (protocolVersion) => {
  test.each([true, false])('the result has a text, whether the client declares views: %s', async (declares) => {
    const options = { protocolVersion, ...(declares && { capabilities: APPS }) }
    const { text, html, uri } = await shownBy(tableView({ title: 'Sales' }), ROWS, options)
    expect(text).toBe(`Sales\n\n${TABLE}`)
    expect(uri).toMatch(/^ui:\/\/gallery\/show\.html\?v=[\da-f]{12}$/)
    expect(html).toMatch(/^<!doctype html>.*<title>Sales<\/title>/)
  })
})

test('each kind of view has a text of its own', async () => {
  expect((await shownBy(chartView({ unit: '€' }), ROWS)).text).toBe('|  | Sales |\n|---|---|\n| Jan | 1,200 € |\n| Feb | 3.5 € |')
  expect((await shownBy(formView({ tool: 'save', input: Contact }), { name: 'Ada' })).text).toBe(
    'A form for the user, which calls the tool save:\n- Name: Ada\n- Age (optional): not filled in',
  )
  expect(
    (await shownBy(choiceView(), { prompt: 'Which one?', options: ['A', { value: 2, title: 'B', description: 'the second' }] }))
      .text,
  ).toBe('Which one?\n- A\n- B: the second')
  expect((await shownBy(approvalView({ approve: 'pay' }), { prompt: 'Pay it?', amount: 20, order: { id: 1 } })).text).toBe(
    'Pay it?\n- Amount: 20\nNothing is done before the user approves.',
  )
})

test('a long table is cut in the text, not in the data', async () => {
  const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: 'a name of some length' }))
  const { text = '', structuredContent } = await shownBy(tableView(), { rows })
  expect(text.length).toBeLessThan(51_000)
  expect(text).toMatch(/\n… and \d+ more rows$/)
  expect(structuredContent).toEqual({ rows })
})

test('data that the view cannot show are reported once, and stay readable', async () => {
  const { server, events } = serverWith(chartView(), { rows: [{ month: 'Jan', sales: 'many' }] })
  await using client = await connectPair(server)
  for (let call = 0; call < 2; call++)
    expect((await client.callTool('show')).content).toEqual([{ type: 'text', text: '{"rows":[{"month":"Jan","sales":"many"}]}' }])
  const warnings = events.filter(({ type }) => type === 'warning')
  expect(warnings).toMatchObject([{ message: expect.stringContaining('The rows of the result have no numbers to draw') }])
})

test('the fields of a form are those of the schema', async () => {
  const input = z.object({
    name: z.string().min(2).max(40).describe('As in the passport'),
    email: z.email(),
    born: z.iso.date().nullable(),
    notes: z.string().max(2000).optional(),
    count: z.number().int().positive().max(10).default(1),
    price: z.number().multipleOf(5).optional(),
    plan: z.enum(['free', 'pro']),
    size: z.union([z.literal(1), z.literal(2)]),
    tags: z.array(z.string()).optional(),
    days: z.array(z.enum(['Mon', 'Tue'])),
    agreed: z.boolean(),
    owner: z.object({ id: z.string() }),
  })
  const fields = { owner: { hidden: true }, count: { title: 'How many' } }
  const { spec } = await shownBy(formView({ tool: 'save', input, fields }), {})
  expect(spec.fields).toMatchObject([
    { name: 'name', title: 'Name', type: 'text', help: 'As in the passport', minLength: 2, maxLength: 40, required: true },
    { name: 'email', type: 'email', required: true },
    { name: 'born', type: 'date', required: false },
    { name: 'notes', type: 'lines', required: false },
    { name: 'count', title: 'How many', type: 'number', integer: true, min: 1, max: 10, default: 1, required: false },
    { name: 'price', type: 'number', required: false },
    {
      name: 'plan',
      type: 'choice',
      options: [
        { value: 'free', title: 'Free' },
        { value: 'pro', title: 'Pro' },
      ],
    },
    {
      name: 'size',
      type: 'choice',
      options: [
        { value: 1, title: '1' },
        { value: 2, title: '2' },
      ],
    },
    { name: 'tags', type: 'list', required: false },
    {
      name: 'days',
      type: 'choices',
      options: [
        { value: 'Mon', title: 'Mon' },
        { value: 'Tue', title: 'Tue' },
      ],
    },
    { name: 'agreed', type: 'flag', required: true },
    { name: 'owner', hidden: true },
  ])
})

test('the fields of a form are those of a JSON Schema too', async () => {
  const input = {
    type: 'object',
    properties: {
      price: { type: ['number', 'null'], multipleOf: 0.01, minimum: 0 },
      unit: { $ref: '#/$defs/unit' },
      code: { type: 'string', pattern: '^[A-Z]+$' },
    },
    required: ['price', 'unit'],
    $defs: {
      unit: {
        oneOf: [
          { const: 'kg', title: 'Kilogram' },
          { const: 'g', title: 'Gram' },
        ],
      },
    },
  } as const
  const { spec } = await shownBy(formView({ tool: 'save', input }), {})
  expect(spec.fields).toMatchObject([
    { name: 'price', type: 'number', step: 0.01, min: 0, required: false },
    {
      name: 'unit',
      type: 'choice',
      options: [
        { value: 'kg', title: 'Kilogram' },
        { value: 'g', title: 'Gram' },
      ],
      required: true,
    },
    { name: 'code', type: 'text', pattern: '^[A-Z]+$', required: false },
  ])
})

test('the page contains no text of the options as markup', async () => {
  const title = '</script><script>alert(1)</script><!--'
  const { html, spec } = await shownBy(tableView({ title, empty: title }), { rows: [] })
  expect(spec).toMatchObject({ title, empty: title })
  expect(html).not.toContain('<script>alert')
  expect(html.match(/<\/script>/g)).toHaveLength(2)
})

test.each([
  [() => tableView({ column: [] } as never), /unknown option "column". Did you mean "columns"/],
  [() => tableView({ data: 'rows' } as never), /Use "rows"/],
  [() => tableView({ columns: ['a', { key: 'a' }] }), /"a" is there twice/],
  [() => tableView({ columns: [] }), /name at least one key/],
  [() => tableView({ columns: [{ title: 'A' } as never] }), /key is missing/],
  [() => tableView({ columns: [{ key: 'a', kind: 'money' as never }] }), /kind/],
  [() => tableView({ columns: [{ key: 'a', digits: 1.5 }] }), /digits must be a whole number from 0 to 20/],
  [() => tableView({ pageSize: 0 }), /pageSize must be a whole number from 1 to 500/],
  [() => chartView({ type: 'donut' as never }), /type/],
  [() => chartView({ type: 'pie', y: ['a', 'b'] }), /a pie chart has one key in y/],
  [() => chartView({ y: [] }), /name at least one key/],
  [() => formView({ input: Contact } as never), /tool is missing/],
  [() => formView({ tool: 'save', input: z.object({}) }), /schema of an object with properties/],
  [() => formView({ tool: 'save', input: z.object({ a: z.object({ b: z.string() }) }) }), /cannot fill in "a"\. Hide it/],
  [() => formView({ tool: 'save', input: Contact, fields: { nam: {} } }), /fields\.nam is not a property of input/],
  [() => choiceView({ argument: 'room' }), /argument and include need a tool/],
  [() => approvalView({} as never), /approve is missing/],
  [() => approvalView({ approve: { title: 'Go' } as never }), /approve\.tool is missing/],
  [() => tableView({ border: 'yes' as never }), /border/],
])('wrong options are refused: %#', (create, message) => {
  expect(create).toThrow(message)
})
