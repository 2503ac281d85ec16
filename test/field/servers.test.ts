/** Published servers: the command and the gateway show of them what the official client sees, and model APIs accept their tools. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'portcall/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createWorkspace, startGateway } from '../command/support/gateway.ts'
import { portcall } from '../command/support/portcall.ts'
import { createGeneratedModules } from '../composition/support/generated-modules.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { checkAdapters } from './support/check-adapters.ts'
import { connectOfficial, type OfficialTool } from './support/official-client.ts'
import { entryOf, SERVERS, type ServerEntry } from './support/servers.ts'
import { createTable } from './support/table.ts'

const NAMES = Object.keys(SERVERS)
const modules = createGeneratedModules('servers')
const table = createTable('servers', ['Server', 'Tools', 'Errors of check', 'Sent to models', 'Left out, and why'])
/** The tools of each server, as the official client lists them. */
const listed = new Map<string, OfficialTool[]>()
/** Some servers write files where they start. */
const cwd = temporaryFolder(afterAll)

beforeAll(async () => {
  for (const name of NAMES) {
    const client = await connectOfficial({ ...entryOf(name), cwd })
    listed.set(name, await client.tools())
    await client.close()
  }
})
afterAll(table.write)

/** Returns the arguments of the command that name a server. */
function target({ command, args, env }: ServerEntry): string[] {
  return [...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`), '--', command, ...args]
}

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name)
/** Returns what two lists of a server have in common: some have the time of the list in their schemas. */
const shown = ({ name, inputSchema }: OfficialTool): object =>
  JSON.parse(JSON.stringify({ name, inputSchema }).replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"(now)"'))

describe.each(NAMES)('%s', (name) => {
  const entry = entryOf(name)

  test('list shows the tools that the official client lists', async () => {
    const { code, out, err } = await portcall(['list', 'tools', '--json', ...target(entry)], { cwd })
    expect(code, err).toBe(0)
    expect(JSON.parse(out).tools.sort(byName).map(shown)).toEqual(listed.get(name)?.sort(byName).map(shown))
  })

  test('check reports findings, generate writes a module, and model APIs accept the tools', async () => {
    const check = await portcall(['check', '--json', ...target(entry)], { cwd })
    const { findings } = JSON.parse(check.out) as { findings: { level: string; rule: string }[] }
    const errors = findings.filter(({ level }) => level === 'error').map(({ rule }) => rule)
    expect(check.code, check.err).toBe(errors.length > 0 ? 1 : 0)
    const generated = await portcall(['generate', '--out', modules.pathOf(name), ...target(entry)], { cwd })
    expect(generated.code, generated.err).toBe(0)
    await using client = await connect({ ...entry, args: [...entry.args], cwd })
    const { sent, leftOut } = await checkAdapters(client)
    expect(sent + leftOut.length).toBe(listed.get(name)?.length)
    table.add([name, sent + leftOut.length, [...new Set(errors)].join(), sent, leftOut.join('; ')])
  })
})

test('the generated modules compile', () => {
  expect(modules.compile()).toBe('')
})

/** Calls that reach nothing outside this computer, and a text in their results. */
const CALLS: readonly (readonly [string, object, string])[] = [
  ['everything__echo', { message: 'hello' }, 'hello'],
  ['filesystem__list_allowed_directories', {}, 'portcall-test'],
  ['memory__read_graph', {}, 'entities'],
  [
    'thinking__sequentialthinking',
    { thought: 'a', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    'thoughtNumber',
  ],
]

/** The hosts of a gateway: each declares other capabilities. */
const CAPABILITIES = [{}, { elicitation: {} }, { sampling: {} }, { roots: {} }, { elicitation: {}, roots: { listChanged: true } }]

test('a gateway of all servers lists every tool at once, in one process for each server and need, and calls them', async () => {
  const mcpServers = Object.fromEntries(NAMES.map((name) => [name, entryOf(name)]))
  const workspace = await createWorkspace({ mcpServers })
  const { child, url, log } = await startGateway(workspace)
  const clients = await Promise.all(CAPABILITIES.map((capabilities) => connectOfficial(url, capabilities)))
  const expected = NAMES.flatMap((name) => (listed.get(name) ?? []).map((tool) => `${name}__${tool.name}`))
  for (const client of clients) {
    const names = (await client.tools()).map((tool) => tool.name)
    expect(expected.filter((name) => !names.includes(name))).toEqual([])
    // This server has more tools for clients that can be asked, and the gateway passes questions on.
    expect(names.filter((name) => !expected.includes(name) && !name.startsWith('everything__'))).toEqual([])
  }
  for (const [name, args, text] of CALLS) {
    const { content, isError } = (await clients[0]?.call(name, args)) ?? {}
    expect(isError ?? false, log()).toBe(false)
    expect(JSON.stringify(content)).toContain(text)
  }
  const { stdout } = spawnSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
  const started = stdout.trim().split('\n').length
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  console.log(
    `${NAMES.length} servers, ${clients.length} clients: ${started} processes, ${expected.length} tools, ${Number(kilobytes) >> 10} MB`,
  )
  // A server that asks for roots at its start gets a second process, for clients that have none.
  expect(started).toBeLessThanOrEqual(NAMES.length + 3)
  for (const client of clients) await client.close()
})
