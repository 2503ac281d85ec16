import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ConnectTarget, connect } from 'portcall/client'
import { serve } from 'portcall/node'
import { skills } from 'portcall/skills/client'
import { tasks } from 'portcall/tasks/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { EXTENSION } from '../matrix/server/index.ts'
import { compileProgram } from '../support/compile.ts'
import { BEHAVIORS, type Peer } from './behaviors.ts'
import { DIFFERENCES, outcomeOf } from './differences.ts'
import { type Pair, pairsOf } from './support/pairs.ts'
import { compileUpstream, startBridge } from './support/upstreams.ts'

const BRIDGE_PROGRAM = fileURLToPath(new URL('./support/stdio.ts', import.meta.url))

interface StartedPair {
  readonly target: ConnectTarget
  close(): Promise<void>
}

/** Starts a server and a bridge in front of it. */
async function startPair({ front, upstream }: Pair): Promise<StartedPair> {
  const recording = join(tmpdir(), `portcall-gateway-${randomUUID()}`)
  const remove = (): void => rmSync(recording, { force: true })
  if (front.transport === 'stdio') {
    const args = [await compileProgram(BRIDGE_PROGRAM), `${upstream.transport}@${upstream.revision}`, recording]
    return { target: { command: process.execPath, args, env: await compileUpstream() }, close: async () => remove() }
  }
  const gateway = await startBridge(upstream, recording, { singleUser: true })
  const { url, close } = await serve(gateway, { port: 0, handleProcessSignals: false, drainTimeoutMs: 0 })
  return {
    target: url,
    async close() {
      await close()
      await gateway.close()
      remove()
    },
  }
}

async function openPeer(pair: Pair, target: ConnectTarget): Promise<Peer> {
  const logged: string[] = []
  const client = await connect(target, {
    protocolVersion: pair.front.revision,
    ...(pair.front.transport === 'sse' && { era: 'http+sse' as const }),
    logLevel: 'debug',
    capabilities: { sampling: { tools: {} }, extensions: { [EXTENSION]: {} } },
    extensions: [tasks(), skills()],
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'm', stopReason: 'endTurn' }),
    roots: () => [{ uri: 'file:///home' }],
    elicit: () => ({ name: 'Ada' }),
    elicitUrl: () => 'accept',
    onEvent: (event) => void (event.type === 'log' && logged.push(event.level)),
  })
  return { client, logged }
}

/** Returns what a behavior returns, or the error that it throws. Failed assertions stay errors. */
async function settle(run: Promise<string>): Promise<string> {
  try {
    return await run
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'AssertionError') throw error
    const { code } = error as { code?: unknown }
    return code === undefined ? error.message : `${String(code)} ${error.message}`
  }
}

const PAIRS = pairsOf('sample')

test('every pair of transports occurs', () => {
  expect(new Set(PAIRS.map(({ front, upstream }) => `${front.transport} ${upstream.transport}`)).size).toBe(9)
})

test('differences concern behaviors that exist', () => {
  const names = DIFFERENCES.flatMap(({ behavior = [] }) => behavior)
  expect(Object.keys(BEHAVIORS)).toEqual(expect.arrayContaining(names))
})

test.each(Object.keys(BEHAVIORS))('%s is tested over each transport on both sides', (name) => {
  const working = PAIRS.filter((pair) => outcomeOf(name, pair) === 'works')
  expect(new Set(working.map(({ front }) => front.transport)).size).toBe(3)
  expect(new Set(working.map(({ upstream }) => upstream.transport)).size).toBe(3)
})

describe.each(
  PAIRS.map((pair) => {
    const { front, upstream } = pair
    return [`${front.revision} over ${front.transport}`, `${upstream.revision} over ${upstream.transport}`, pair] as const
  }),
)('a client of %s with a server of %s', (_client, _server, pair) => {
  let peer: Peer
  let started: StartedPair
  beforeAll(async () => {
    started = await startPair(pair)
    peer = await openPeer(pair, started.target)
  })
  afterAll(async () => {
    await peer.client.close()
    await started.close()
  })
  test.each(Object.entries(BEHAVIORS))('%s', async (name, run) => {
    expect(await settle(run(peer))).toBe(outcomeOf(name, pair))
  })
})
