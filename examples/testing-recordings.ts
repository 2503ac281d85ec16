import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { createServer } from 'portcall'
import { assertText, connectPair, recordExchange, replayExchange } from 'portcall/testing'
import * as z from 'zod'

const server = createServer({ name: 'calculator', version: '1.0.0' })
server.tool('add', { input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`)

test('a recorded call is replayed without its server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recording-'))
  const file = join(folder, 'add.jsonl')

  const recorded = recordExchange(server.exchange)
  const client = await connectPair({ exchange: recorded })
  await client.callTool('add', { a: 1, b: 2 })
  await client.close()
  await writeFile(file, recorded.text())

  const replayed = await connectPair({ exchange: replayExchange(await readFile(file, 'utf8')) })
  assertText(await replayed.callTool('add', { a: 1, b: 2 }), '3')
  await replayed.close()
  await rm(folder, { recursive: true })
})
