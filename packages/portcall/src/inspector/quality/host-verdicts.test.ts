import { expect, test } from 'vitest'
import type { Tool } from '../../entrypoints/client.ts'
import { judgeHosts } from './host-verdicts.ts'
import { HOST_PROFILES } from './hosts.ts'
import type { ServerInventory } from './inventory.ts'

const tool = (name: string, inputSchema: object = {}): Tool => ({ name, inputSchema: { type: 'object', ...inputSchema } })

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

test.each<[string, Tool[], { [host: string]: string }]>([
  ['a short name', [tool('search')], {}],
  ['a dot in a name', [tool('a.b')], { 'Claude Desktop': 'refuses', 'Claude Code': 'refuses', opencode: 'changes' }],
  ['a name of 52 characters', [tool('x'.repeat(52))], {}],
  ['a name of 53 characters', [tool('x'.repeat(53))], { Codex: 'changes' }],
  ['a name of 55 characters', [tool('x'.repeat(55))], { Codex: 'changes', Cursor: 'refuses', 'Gemini CLI': 'changes' }],
  [
    'a name of 65 characters',
    [tool('x'.repeat(65))],
    { 'Claude Desktop': 'refuses', Codex: 'changes', Cursor: 'refuses', 'Gemini CLI': 'changes' },
  ],
  ['oneOf at the root', [tool('search', { oneOf: [{}] })], { 'Claude Code': 'refuses' }],
  ['80 tools', many(80), {}],
  ['101 tools', many(101), { Cursor: 'changes', Windsurf: 'changes' }],
  ['129 tools', many(129), { Cursor: 'changes', Windsurf: 'changes', 'VS Code': 'refuses' }],
])('%s', (_title, tools, expected) => {
  expect(verdicts(...tools)).toEqual(expected)
})

test('each problem names the tool, what to change and a public source', () => {
  const [desktop] = judgeHosts(inventory([tool('fine'), tool('a.b')]))
  expect(desktop).toEqual({
    host: 'Claude Desktop',
    verdict: 'refuses',
    problems: [
      {
        effect: 'refuses',
        tool: 'a.b',
        message: 'the name has characters other than letters, digits, _ and -',
        advice: 'Rename the tool.',
        source: 'https://github.com/modelcontextprotocol/modelcontextprotocol/issues/1063',
      },
    ],
  })
  for (const { source } of HOST_PROFILES.flatMap(({ rules }) => rules)) expect(source).toMatch(/^https:\/\//)
})
