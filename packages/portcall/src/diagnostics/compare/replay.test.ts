import { describe, expect, test } from 'vitest'
import { connect } from '../../connect/connect.ts'
import { createServer } from '../../server/server.ts'
import type { Server } from '../../server/types.ts'
import { recordMiddleware } from './record-session.ts'
import { compareRecordings, type ReplayEvent, replayCalls } from './replay.ts'
import { type CallFileOutcome, readCallFile, runCallFile } from './saved-call-file.ts'
import { serveRecording } from './serve-recording.ts'
import { snapshotOfRecording } from './snapshot-of-recording.ts'

function createNotes(hits = 1): Server {
  const server = createServer({ name: 'notes', version: '1.0.0' }, { instructions: 'Use search.' })
  server.tool('search', { input: { type: 'object', properties: { query: { type: 'string' } } } as const }, ({ query }) => ({
    content: [{ type: 'text', text: `${query}: ${hits}` }],
    structuredContent: { hits, time: Math.random() },
  }))
  server.tool('login', { input: { type: 'object', properties: { password: { type: 'string' } } } as const }, () => 'ok')
  return server
}

async function record(server: Server): Promise<string> {
  const lines: string[] = []
  const client = await connect(server)
  client.use(recordMiddleware({ onLine: (line) => lines.push(line) }))
  await client.tools().toArray()
  await client.callTool('search', { query: 'a' })
  await client.callTool('search', { query: 'b' })
  await client.callTool('login', { password: 'hunter22' })
  await client.callTool('missing').catch(() => {})
  await client.close()
  return lines.join('\n')
}

async function replay(recording: string, server: Server, ignore: readonly string[] = []): Promise<ReplayEvent[]> {
  const client = await connect(server)
  const events: ReplayEvent[] = []
  for await (const event of replayCalls(recording, client, { ignore })) events.push(event)
  await client.close()
  return events
}

describe('replay against a server', () => {
  test('the same server: no differences but in what is ignored, and secrets are not sent', async () => {
    const events = await replay(await record(createNotes()), createNotes(), ['/structuredContent/time'])
    expect(events.at(-1)).toEqual({ type: 'finished', total: 5, replayed: 4, differences: [] })
    expect(events.find(({ type }) => type === 'skipped')).toMatchObject({ where: 'tools/call login' })
  })

  test('another server: each member that differs is a row', async () => {
    const events = await replay(await record(createNotes()), createNotes(2), ['/structuredContent/time'])
    const last = events.at(-1)
    expect(last?.type === 'finished' ? last.differences.map(({ where, pointer }) => [where, pointer]) : []).toEqual([
      ['tools/call search', '/result/content/0/text'],
      ['tools/call search', '/result/structuredContent/hits'],
      ['tools/call search #2', '/result/content/0/text'],
      ['tools/call search #2', '/result/structuredContent/hits'],
    ])
  })
})

test('two recordings are compared call by call', async () => {
  const [left, right] = [await record(createNotes()), await record(createNotes(3))]
  const rows = compareRecordings(left, right, { ignore: ['/structuredContent/time', '/content'] })
  expect(rows.map(({ where, pointer, before, after }) => [where, pointer, before, after])).toEqual([
    ['tools/call search', '/result/structuredContent/hits', 1, 3],
    ['tools/call search #2', '/result/structuredContent/hits', 1, 3],
  ])
})

test('a recording shows what the server is, and contains no password', async () => {
  const recording = await record(createNotes())
  expect(snapshotOfRecording(recording)).toMatchObject({
    name: 'notes',
    instructions: 'Use search.',
    tools: [{ name: 'search' }, { name: 'login' }],
  })
  expect(recording).not.toContain('hunter22')
})

test('a recording as a server: any order, any number of times, and an error for what it does not have', async () => {
  const client = await connect(serveRecording(await record(createNotes())))
  const hits = async (query: string): Promise<unknown> => (await client.callTool('search', { query })).content[0]
  expect(await hits('b')).toEqual({ type: 'text', text: 'b: 1' })
  expect(await hits('a')).toEqual({ type: 'text', text: 'a: 1' })
  expect(await hits('b')).toEqual({ type: 'text', text: 'b: 1' })
  expect((await client.tools().toArray()).map(({ name }) => name)).toEqual(['search', 'login'])
  await expect(client.callTool('other')).rejects.toMatchObject({ code: -32602 })
  await client.close()
})

describe('saved calls', () => {
  const file = (...assertions: object[]): string =>
    JSON.stringify({
      portcall: 'calls',
      version: 1,
      calls: [{ name: 'finds', request: { type: 'call-tool', name: 'search', arguments: { query: 'a' } }, assertions }],
    })
  const run = async (text: string): Promise<CallFileOutcome[]> => {
    const client = await connect(createNotes())
    const outcomes: CallFileOutcome[] = []
    for await (const outcome of runCallFile(readCallFile(text) ?? [], client)) outcomes.push(outcome)
    await client.close()
    return outcomes
  }

  test('assertions that hold, and one that fails', async () => {
    const holds = [
      { pointer: '/structuredContent/hits', check: 'equals', value: 1 },
      { pointer: '/content/0/text', check: 'matches', value: '^a:' },
      { pointer: '/structuredContent/time', check: 'at-most', value: 1 },
      { pointer: '/isError', check: 'absent' },
    ]
    expect(await run(file(...holds))).toEqual([{ name: 'finds', passed: true, failures: [] }])
    expect(await run(file(...holds, { pointer: '/structuredContent/hits', check: 'at-least', value: 5 }))).toEqual([
      { name: 'finds', passed: false, failures: ['/structuredContent/hits at-least 5: found 1'] },
    ])
  })

  test('an error of the server fails a call that does not expect it', async () => {
    const text = JSON.stringify({
      portcall: 'calls',
      version: 1,
      calls: [
        { name: 'fails', request: { type: 'call-tool', name: 'none' } },
        {
          name: 'expected',
          request: { type: 'call-tool', name: 'none' },
          assertions: [{ pointer: '/error/code', check: 'equals', value: -32602 }],
        },
      ],
    })
    expect((await run(text)).map(({ passed }) => passed)).toEqual([false, true])
  })

  test('invalid files are refused', () => {
    expect(readCallFile('{}')).toBeUndefined()
    expect(() => readCallFile(file({ pointer: '/a', check: 'is' }))).toThrow('invalid assertion')
    expect(() => readCallFile('{"portcall":"calls","version":9}')).toThrow('version 9')
  })
})
