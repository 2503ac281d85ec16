import { connect } from 'portcall/client'
import { bridge } from 'portcall/gateway'
import { serve } from 'portcall/node'
import { expect, onTestFinished, test } from 'vitest'
import { createMatrixServer } from '../matrix/server/index.ts'

/** What every pair of revisions has in common: a client of one, a bridge, and a server of another. */
const SERVERS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const CLIENTS = SERVERS

async function startServer(): Promise<string> {
  const { url, close } = await serve(createMatrixServer(), { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  onTestFinished(close)
  return url
}

test.each(SERVERS.flatMap((server) => CLIENTS.map((client) => [client, server] as const)))(
  'a client of %s uses a server of %s',
  async (client, server) => {
    const gateway = bridge(await startServer(), { protocolVersion: server })
    const { url, close } = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
    onTestFinished(close)
    const messages: string[] = []
    await using peer = await connect(url, {
      protocolVersion: client,
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
  },
)
