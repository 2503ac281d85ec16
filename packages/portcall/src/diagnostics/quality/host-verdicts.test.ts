import { expect, test } from 'vitest'
import type { Tool } from '../../protocol/types.ts'
import { adviceOf } from './advice.ts'
import { hostFindings } from './host-findings.ts'
import { judgeHosts } from './host-verdicts.ts'
import { HOST_PROFILES } from './hosts.ts'
import type { ServerInventory } from './inventory.ts'

const tool = (name: string, inputSchema: object = {}, description = ''): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', ...inputSchema },
})

function inventory(tools: readonly Tool[]): ServerInventory {
  const discovered = { serverInfo: { name: 'notes', version: '1' }, capabilities: {} } as unknown as ServerInventory['discovered']
  return { discovered, tools, resources: [], templates: [], prompts: [] }
}

/** The hosts that do not accept the tools, with what they do. */
const verdicts = (...tools: Tool[]): { [host: string]: string } =>
  Object.fromEntries(
    judgeHosts(inventory(tools)).flatMap(({ host, verdict }) => (verdict === 'accepts' ? [] : [[host, verdict]])),
  )

const many = (count: number): Tool[] => Array.from({ length: count }, (_, at) => tool(`t${at}`))

const PLAIN_NAMES = {
  'Claude API': 'refuses',
  'claude.ai': 'refuses',
  'Claude Code': 'changes',
  'Claude Desktop': 'refuses',
  Codex: 'changes',
  'Copilot CLI': 'refuses',
  'OpenAI API (ChatGPT)': 'refuses',
  opencode: 'changes',
}

test.each<[string, Tool[], { [host: string]: string }]>([
  ['a short name', [tool('search')], {}],
  ['a dot in a name', [tool('a.b')], PLAIN_NAMES],
  ['a name that starts with a digit', [tool('1st')], { 'Gemini API': 'refuses' }],
  ['a - in a name', [tool('a-b')], {}],
  [
    'arrays with items, at every depth',
    [tool('search', { properties: { a: { type: 'array', items: { type: 'array', items: {} } } } })],
    {},
  ],
  ['a tuple', [tool('search', { properties: { a: { type: 'array', prefixItems: [{}], items: false } } })], {}],
  [
    'an array without items below the root',
    [tool('search', { properties: { a: { type: 'array', items: { type: ['array', 'null'] } } } })],
    { 'OpenAI API (ChatGPT)': 'refuses', 'VS Code': 'refuses' },
  ],
  [
    'a tuple of an older draft in a definition',
    [tool('search', { $defs: { pair: { type: 'array', items: [{}, {}] } }, properties: { a: { $ref: '#/$defs/pair' } } })],
    { 'Claude API': 'refuses' },
  ],
  [
    'a limit of draft 4 in a branch',
    [tool('search', { properties: { a: { anyOf: [{ type: 'integer', minimum: 0, exclusiveMinimum: true }] } } })],
    { 'Claude API': 'refuses' },
  ],
  ['data that looks like a schema', [tool('search', { properties: { a: { default: { type: 'array' } } } })], {}],
  ['a space in a name', [tool('a b')], { ...PLAIN_NAMES, 'Gemini API': 'refuses', 'Gemini CLI': 'changes' }],
  ['a name of 53 characters', [tool('x'.repeat(53))], {}],
  ['a name of 54 characters', [tool('x'.repeat(54))], { 'Gemini CLI': 'changes' }],
  ['a name of 55 characters', [tool('x'.repeat(55))], { Cursor: 'refuses', 'Gemini CLI': 'changes' }],
  [
    'a name of 65 characters',
    [tool('x'.repeat(65))],
    {
      'claude.ai': 'refuses',
      'Claude Desktop': 'refuses',
      Cursor: 'refuses',
      'Gemini API': 'refuses',
      'Gemini CLI': 'changes',
      'OpenAI API (ChatGPT)': 'refuses',
      'VS Code': 'changes',
      Zed: 'changes',
    },
  ],
  [
    'a name of 117 characters',
    [tool('x'.repeat(117))],
    {
      'claude.ai': 'refuses',
      'Claude Code': 'refuses',
      'Claude Desktop': 'refuses',
      Codex: 'changes',
      Cursor: 'refuses',
      'Gemini API': 'refuses',
      'Gemini CLI': 'changes',
      'OpenAI API (ChatGPT)': 'refuses',
      'VS Code': 'changes',
      Zed: 'changes',
    },
  ],
  [
    'oneOf at the root',
    [tool('search', { oneOf: [{}] })],
    { 'Claude API': 'refuses', 'Claude Code': 'changes', 'OpenAI API (ChatGPT)': 'refuses', opencode: 'changes' },
  ],
  [
    'oneOf beside properties at the root',
    [tool('search', { properties: {}, oneOf: [{}] })],
    { 'Claude API': 'refuses', 'Claude Code': 'changes', 'OpenAI API (ChatGPT)': 'refuses' },
  ],
  ['not at the root', [tool('search', { not: {} })], { Codex: 'changes', 'OpenAI API (ChatGPT)': 'refuses' }],
  [
    'an argument with a space',
    [tool('search', { properties: { 'a b': {} } })],
    { 'Claude API': 'refuses', 'Claude Code': 'refuses' },
  ],
  [
    'an argument of 65 characters',
    [tool('search', { properties: { ['a'.repeat(65)]: {} } })],
    { 'Claude API': 'refuses', 'Claude Code': 'refuses' },
  ],
  [
    'a description of an argument of 9,000 characters',
    [tool('search', { properties: { a: { description: 'x'.repeat(9000) } } })],
    { Codex: 'changes' },
  ],
  [
    'a description of 4,097 characters',
    [tool('search', {}, 'x'.repeat(4097))],
    { 'Claude Code': 'changes', 'OpenAI API (ChatGPT)': 'refuses' },
  ],
  ['a description of 1,025 characters', [tool('search', {}, 'x'.repeat(1025))], { 'OpenAI API (ChatGPT)': 'refuses' }],
  ['80 tools', many(80), {}],
  ['101 tools', many(101), { Cursor: 'changes', Windsurf: 'changes' }],
  [
    '129 tools',
    many(129),
    {
      'Copilot for JetBrains': 'refuses',
      Cursor: 'changes',
      'OpenAI API (ChatGPT)': 'refuses',
      'VS Code': 'refuses',
      Windsurf: 'changes',
    },
  ],
])('%s', (_title, tools, expected) => {
  expect(verdicts(...tools)).toEqual(expected)
})

test('each problem names the tool, what to change and a public source', () => {
  const desktop = judgeHosts(inventory([tool('fine'), tool('a.b')])).find(({ host }) => host === 'Claude Desktop')
  expect(desktop).toEqual({
    host: 'Claude Desktop',
    verdict: 'refuses',
    problems: [
      {
        effect: 'refuses',
        tool: 'a.b',
        rule: 'tool-name',
        message: 'the name may only have letters, digits, _ and -',
        advice: adviceOf('tool-name'),
        source: 'https://github.com/malloydata/publisher/pull/543',
      },
    ],
  })
})

test('instructions that a host shortens are a warning', () => {
  const { discovered, ...rest } = inventory([tool('search')])
  const [finding, ...others] = hostFindings({ ...rest, discovered: { ...discovered, instructions: 'x'.repeat(4097) } })
  expect(finding).toMatchObject({ level: 'warning', rule: 'instructions-length', where: 'server', hosts: ['Claude Code'] })
  expect(others).toEqual([])
})

test('each limit has a source and the day on which it was checked', () => {
  for (const { source, checked } of HOST_PROFILES.flatMap(({ rules }) => rules)) {
    expect(source).toMatch(/^https:\/\//)
    expect(checked).toMatch(/^\d+ [A-Z][a-z]+ \d{4}$/)
  }
})

test('a finding names all hosts with a limit, and the strictest limit', () => {
  const name = 'x'.repeat(65)
  const [finding] = hostFindings(inventory([tool(name)]))
  expect(finding).toEqual({
    level: 'warning',
    rule: 'tool-name-length',
    advice: 'Choose a shorter name.',
    where: `tool ${name}`,
    message: "the name has 71 characters together with the server's; the limit is 60",
    hosts: ['Claude Desktop', 'claude.ai', 'Cursor', 'Gemini API', 'Gemini CLI', 'OpenAI API (ChatGPT)', 'VS Code', 'Zed'],
  })
})

test('hosts that only change something are no error', () => {
  const rules = (tools: Tool[]): string[] => hostFindings(inventory(tools)).map(({ level, rule }) => `${level} ${rule}`)
  expect(rules(many(101))).toEqual(['warning tool-count'])
  expect(rules(many(129))).toEqual(['error tool-count'])
  expect(rules([tool('a.b')])).toEqual(['error tool-name'])
})

test('reports each form that a schema must not have once, with its place and all hosts', () => {
  const schema = { properties: { rows: { type: 'array', items: { type: 'array' } }, pair: { type: 'array', items: [{}] } } }
  expect(hostFindings(inventory([tool('search', schema)]))).toMatchObject([
    {
      ...{ level: 'error', rule: 'input-schema-form', hosts: ['Claude API'] },
      message: 'a list of schemas as items, instead of prefixItems, at properties.pair in the input schema',
    },
    {
      ...{ level: 'error', rule: 'input-schema-form', hosts: ['OpenAI API (ChatGPT)', 'VS Code'] },
      message: 'an array without items, at properties.rows.items in the input schema',
    },
  ])
})
