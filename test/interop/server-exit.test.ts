/** The Portcall client, when servers of other libraries exit. */

import { type Client, ConnectionLostError, connect } from 'portcall/client'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { type Listening, mark, type Program, running, start } from './servers/programs.ts'
import { SETUPS, type Setup } from './servers/setups.ts'

const programs: Record<string, Program> = inject('servers' as never)
const isHere = ({ server }: Setup): boolean => !('missing' in (programs[server] as Program))

/** The servers of this kind that are available on this machine, each once. */
const SPAWNED = [...new Set(SETUPS.filter((setup) => isHere(setup) && setup.path === undefined).map(({ server }) => server))]
const HTTP = SETUPS.filter((setup) => isHere(setup) && setup.path !== undefined && !setup.pinned)

/** Returns the changes that a setup can subscribe to. */
function filterOf({ lacks = {} }: Setup): Parameters<Client['listen']>[0] {
  return {
    ...(!lacks.lists && { toolsListChanged: true }),
    ...(!lacks.updates && { resourceSubscriptions: ['memo://a'] }),
  }
}

describe.each(SPAWNED)('the program of %s', (server) => {
  it('is killed during a call: the error names the signal, and the next call restarts it', async () => {
    const { command, args, mark: name } = mark(programs[server] as Program, '--stdio')
    await using client = await connect({ command, args }, { restart: true })
    const waiting = client.callTool('wait').catch((error: unknown) => error)
    await eventually(() => expect(running(name)).toHaveLength(1))
    const started = performance.now()
    for (const pid of running(name)) process.kill(pid, 'SIGKILL')
    const error = (await waiting) as ConnectionLostError
    expect(performance.now() - started).toBeLessThan(5000)
    expect(error).toBeInstanceOf(ConnectionLostError)
    expect(error).toMatchObject({
      retryable: true,
      exit: { code: null, signal: 'SIGKILL' },
      message: expect.stringContaining('SIGKILL'),
    })
    expect(client.status).toBe('disconnected')
    expect((await client.callTool('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 })
    expect(client.status).toBe('connected')
    await client.close()
    expect(running(name)).toEqual([])
  })

  it('exits during a call: the error names the exit code, and the call is not repeated', async () => {
    const { command, args, mark: name } = mark(programs[server] as Program, '--stdio')
    await using client = await connect({ command, args })
    const error = await client.callTool('exit').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConnectionLostError)
    expect(error).toMatchObject({ exit: { code: 7, signal: null } })
    await expect(client.callTool('add', { a: 1, b: 2 })).rejects.toThrow()
    expect(running(name)).toEqual([])
  })
})

describe.each(HTTP.map((setup) => ({ name: `${setup.server} at ${setup.path}`, setup })))('the server of $name', ({ setup }) => {
  const { server, path = '' } = setup
  let running: Listening | undefined
  afterAll(() => running?.kill())

  it('stops during a call and restarts: the call fails, later calls are answered, changes arrive again', async () => {
    running = await start(programs[server] as Program)
    const { origin, port } = running
    await using client = await connect(origin + path, { http: { maxResumeFailures: 1 } })
    await using subscription = client.listen(filterOf(setup))
    const changes: string[] = []
    const hearing = (async () => {
      for await (const { type } of subscription) changes.push(type)
    })()
    const honoured = await subscription.acknowledged
    const waiting = client.callTool('wait').catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(changes).toEqual([])

    const killedAt = performance.now()
    await running.kill()
    expect(await waiting).toBeInstanceOf(ConnectionLostError)
    expect(performance.now() - killedAt).toBeLessThan(30_000)
    await expect(client.callTool('add', { a: 1, b: 2 })).rejects.toThrow(ConnectionLostError)

    running = await start(programs[server] as Program, port)
    await eventually(async () => expect(await sum(client)).toBe(3))
    expect(client.status).toBe('connected')
    const everything = [...(honoured.toolsListChanged ? ['tools'] : []), ...(honoured.resourceSubscriptions ? ['resource'] : [])]
    await eventually(() => expect(changes).toEqual(expect.arrayContaining(everything)))
    if (everything.length > 0) {
      changes.length = 0
      await eventually(
        async () => {
          await client.callTool('change')
          expect(changes).toEqual(expect.arrayContaining(everything))
        },
        { intervalMs: 200 },
      )
    }
    await client.close()
    await hearing
  })
})

async function sum(client: Client): Promise<unknown> {
  const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
  return (structuredContent as { sum: number }).sum
}
