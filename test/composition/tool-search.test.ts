import { encode } from 'gpt-tokenizer'
import { type CallToolResult, createServer } from 'portcall'
import { type Client, connect } from 'portcall/client'
import { toolSearch } from 'portcall/compose'
import { createGateway } from 'portcall/gateway'
import { expect, test } from 'vitest'
import { GITHUB_TOOLS } from './support/github.ts'
import { serveTools } from './support/serve-tools.ts'
import { QUERIES, TOOL_LISTS } from './support/tool-lists.ts'

const RECALL = 0.9

const textOf = (result: CallToolResult): string => result.content.map((block) => ('text' in block ? block.text : '')).join('\n')

/** Returns the queries of which none of the first five tools answers. */
async function missedQueries(client: Client, queries: typeof QUERIES.github): Promise<string[]> {
  const missed: string[] = []
  for (const { query, tools } of queries) {
    const text = textOf(await client.callTool('search_tools', { query }))
    const found = text.split('\n').flatMap((line) => /^([^\s(]+)\(/.exec(line)?.[1] ?? [])
    expect(found.length).toBeLessThanOrEqual(5)
    if (!found.some((name) => tools.includes(name))) missed.push(query)
  }
  return missed
}

function createServersGateway(): ReturnType<typeof createGateway> {
  const lists = TOOL_LISTS.filter((list) => QUERIES.packages.includes(list.package))
  const servers = Object.fromEntries(lists.map(({ name, tools }) => [name, serveTools(name, tools)]))
  return createGateway({ servers, middleware: [toolSearch()] })
}

test('the first five tools answer at least 90 % of 200 queries', async () => {
  await using github = await connect(serveTools('github', GITHUB_TOOLS).use(toolSearch()))
  await using gateway = createServersGateway()
  await using servers = await connect(gateway)
  const missed = [...(await missedQueries(github, QUERIES.github)), ...(await missedQueries(servers, QUERIES.servers))]
  const count = QUERIES.github.length + QUERIES.servers.length
  console.log(`recall at 5: ${((count - missed.length) / count).toFixed(3)} of ${count} queries`)
  expect(count).toBe(200)
  expect(missed.length).toBeLessThanOrEqual(count * (1 - RECALL))
}, 60_000)

test('the list of more than 1,000 tools takes at most 1,000 tokens', async () => {
  const plain = serveTools('github', GITHUB_TOOLS)
  await using direct = await connect(plain)
  const before = encode(JSON.stringify(await direct.tools().toArray())).length
  plain.use(toolSearch())
  await using searched = await connect(plain)
  const after = encode(JSON.stringify(await searched.tools().toArray())).length
  const found = encode(textOf(await searched.callTool('search_tools', { query: 'open an issue' }))).length
  await using gateway = createServersGateway()
  await using many = await connect(gateway)
  const ofGateway = encode(JSON.stringify(await many.tools().toArray())).length
  console.log(
    `${GITHUB_TOOLS.length} tools: ${before} tokens without search, ${after} with, ${after + found} after a search; ${ofGateway} for a gateway`,
  )
  expect(GITHUB_TOOLS.length).toBeGreaterThan(1000)
  expect(after).toBeLessThan(1000)
  expect(ofGateway).toBeLessThan(1000)
}, 60_000)

test('a change of an upstream list is searched at once', async () => {
  const server = createServer({ name: 'a', version: '1' }).tool('first', { description: 'Waters the plants' }, () => '')
  await using gateway = createGateway({
    servers: { a: server, b: serveTools('b', GITHUB_TOOLS.slice(0, 5)) },
    middleware: [toolSearch()],
  })
  await using client = await connect(gateway)
  await using subscription = client.listen({ toolsListChanged: true })
  await subscription.acknowledged
  expect(textOf(await client.callTool('search_tools', { query: 'plants' }))).toContain('a__first')
  server.tool('second', { description: 'Feeds the hamster' }, () => 'fed')
  await subscription[Symbol.asyncIterator]().next()
  expect(textOf(await client.callTool('search_tools', { query: 'hamster' }))).toContain('a__second')
  expect(textOf(await client.callTool('call_tool', { name: 'a__second' }))).toBe('fed')
})
