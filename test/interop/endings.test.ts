/** Our client, when servers end that are not ours. */

import { type Client, ConnectionLostError, connect } from 'portcall/client'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { PLACES, type Place } from './servers/places.ts'
import { type Listening, mark, type Program, running, start } from './servers/programs.ts'

const programs: Record<string, Program> = inject('servers' as never)
const isHere = ({ server }: Place): boolean => !('missing' in (programs[server] as Program))

/** The servers of this kind that can be run here, each once. */
const SPAWNED = [...new Set(PLACES.filter((place) => isHere(place) && place.path === undefined).map(({ server }) => server))]
const HTTP = PLACES.filter((place) => isHere(place) && place.path !== undefined && !place.pinned)

/** What can be listened for at a place. */
function filterOf({ lacks = {} }: Place): Parameters<Client['listen']>[0] {
  return {
    ...(!lacks.lists && { toolsListChanged: true }),
    ...(!lacks.updates && { resourceSubscriptions: ['memo://a'] }),
  }
}

describe.each(SPAWNED)('the program of %s', (server) => {
  it('is killed during a call: the call says how, and the next one starts it again', async () => {
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

  it('ends during a call: the call says with which code, and no other is made', async () => {
    const { command, args, mark: name } = mark(programs[server] as Program, '--stdio')
    await using client = await connect({ command, args })
    const error = await client.callTool('exit').catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConnectionLostError)
    expect(error).toMatchObject({ exit: { code: 7, signal: null } })
    await expect(client.callTool('add', { a: 1, b: 2 })).rejects.toThrow()
    expect(running(name)).toEqual([])
  })
})

describe.each(HTTP.map((place) => ({ name: `${place.server} at ${place.path}`, place })))('the server of $name', ({ place }) => {
  const { server, path = '' } = place
  let running: Listening | undefined
  afterAll(() => running?.kill())

  it('goes away during a call and comes back: the call fails, calls are answered again, changes are heard again', async () => {
    running = await start(programs[server] as Program)
    const { origin, port } = running
    await using client = await connect(origin + path, { http: { maxResumeFailures: 1 } })
    await using subscription = client.listen(filterOf(place))
    const heard: string[] = []
    const hearing = (async () => {
      for await (const { type } of subscription) heard.push(type)
    })()
    const honoured = await subscription.acknowledged
    const waiting = client.callTool('wait').catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(heard).toEqual([])

    const killedAt = performance.now()
    await running.kill()
    expect(await waiting).toBeInstanceOf(ConnectionLostError)
    expect(performance.now() - killedAt).toBeLessThan(30_000)
    await expect(client.callTool('add', { a: 1, b: 2 })).rejects.toThrow(ConnectionLostError)

    running = await start(programs[server] as Program, port)
    await eventually(async () => expect(await sum(client)).toBe(3))
    expect(client.status).toBe('connected')
    const everything = [...(honoured.toolsListChanged ? ['tools'] : []), ...(honoured.resourceSubscriptions ? ['resource'] : [])]
    await eventually(() => expect(heard).toEqual(expect.arrayContaining(everything)))
    if (everything.length > 0) {
      heard.length = 0
      await eventually(async () => {
        await client.callTool('change')
        expect(heard).toEqual(expect.arrayContaining(everything))
      }, 200)
    }
    await client.close()
    await hearing
  })
})

async function sum(client: Client): Promise<unknown> {
  const { structuredContent } = await client.callTool('add', { a: 1, b: 2 })
  return (structuredContent as { sum: number }).sum
}
