import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ConnectTarget, connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { compileProgram } from '../support/compile.ts'
import { type Pair, pairsOf } from './support/pairs.ts'
import { compileUpstream, startBridge } from './support/upstreams.ts'

const BRIDGE_PROGRAM = fileURLToPath(new URL('./support/stdio.ts', import.meta.url))

/** Starts a server and a bridge in front of it. Returns how a client reaches the bridge. */
async function startPair({ front, upstream }: Pair): Promise<ConnectTarget> {
  const recording = join(tmpdir(), `portcall-gateway-${randomUUID()}`)
  onTestFinished(() => rmSync(recording, { force: true }))
  if (front.transport === 'stdio') {
    const args = [await compileProgram(BRIDGE_PROGRAM), `${upstream.transport}@${upstream.revision}`, recording]
    return { command: process.execPath, args, env: await compileUpstream() }
  }
  const gateway = await startBridge(upstream, recording)
  const { url, close } = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(async () => {
    await close()
    await gateway.close()
  })
  return url
}

/** What every pair of revisions has in common: each with transports in turn, so that all pairs of transports occur. */
test.each(
  pairsOf('sample').map((pair) => {
    const { front, upstream } = pair
    return [`${front.revision} over ${front.transport}`, `${upstream.revision} over ${upstream.transport}`, pair] as const
  }),
)('a client of %s uses a server of %s', async (_client, _server, pair) => {
  const [client, server] = [pair.front.revision, pair.upstream.revision]
  const messages: string[] = []
  await using peer = await connect(await startPair(pair), {
    protocolVersion: client,
    ...(pair.front.transport === 'sse' && { era: 'http+sse' as const }),
    logLevel: 'debug',
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm' }),
    roots: () => [{ uri: 'file:///home' }],
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    onEvent: (event) => void (event.type === 'log' && messages.push(event.level)),
  })
  expect((await peer.tools().toArray()).map(({ name }) => name)).toContain('echo')
  expect(await peer.callTool('echo', { text: 'hi' })).toMatchObject({ content: [{ type: 'text', text: 'hi' }] })
  expect(await peer.callTool('asks_model')).toMatchObject({ content: [{ text: expect.stringContaining('Hello') as string }] })
  expect(await peer.callTool('asks_roots')).toMatchObject({ content: [{ text: 'file:///home' }] })
  if (client >= '2025-06-18' && server >= '2025-06-18')
    expect(await peer.callTool('asks')).toMatchObject({ content: [{ text: 'Hello, Ada' }] })
  const progress: number[] = []
  await peer.callTool('counts', { to: 3 }, { onProgress: (one) => progress.push(one.progress) })
  expect(progress).toEqual([1, 2, 3])
  await peer.callTool('logs')
  expect(messages).toContain('error')
  expect(await peer.getPrompt('plain')).toMatchObject({ messages: [{ role: 'user' }] })
  expect(await peer.readResource('memo://text')).toMatchObject({ contents: [{ uri: 'memo://text' }] })
  expect((await peer.resourceTemplates().toArray()).map(({ uriTemplate }) => uriTemplate)).toContain('note://{id}')
  await expect(peer.callTool('no_such_tool')).rejects.toThrow('Unknown tool')
  await expect(peer.readResource('memo://missing')).rejects.toThrow()
})
