/** A real server over HTTP that is killed and restarted during use. */
import { type Client, ConnectionLostError } from 'portcall/client'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../support/free-port.mjs'
import { type HttpServer, startHttp } from '../support/http.ts'
import { sleep, until, within } from '../support/time.ts'
import { collect, expectLosses, failureOf, open } from './support/connection.ts'

/** Starts a server that accepts 1,000 concurrent calls of one session. */
function start(port: number): Promise<HttpServer> {
  return startHttp({ http: { port, maxSessionRequests: 2000 } })
}

async function echo(client: Client, text: string): Promise<string> {
  const { content } = await client.callTool('echo', { text } as never)
  return (content[0] as { text: string }).text
}

describe.each(['2026-07-28', '2025-11-25', '2025-03-26'])('a server of %s', (protocolVersion) => {
  test('C03 C25: kill -9 during 1,000 calls: those in flight fail immediately, the next succeeds, changes arrive again', async () => {
    const first = await start(await freePort())
    let current = first
    try {
      const { client, kinds } = await open(`http://127.0.0.1:${first.port}/mcp`, { protocolVersion })
      const subscription = client.listen({ toolsListChanged: true, resourcesListChanged: true })
      const changes = collect(subscription)
      await within(3000, subscription.acknowledged)
      let settled = 0
      const calls = Array.from({ length: 1000 }, (_, at) => echo(client, `${at}`).finally(() => settled++))
      const ending = Promise.allSettled(calls)
      await until(() => settled >= 200, 'the first calls')
      first.kill()
      await first.exit
      const outcomes = await within(5000, ending, 'the end of all calls')
      for (const [at, outcome] of outcomes.entries())
        if (outcome.status === 'fulfilled') expect(outcome.value).toBe(`${at}`)
        else {
          expect(outcome.reason).toBeInstanceOf(ConnectionLostError)
          expect(outcome.reason).toMatchObject({ retryable: true })
        }
      expect(outcomes.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(200)
      expect(await failureOf(echo(client, 'unavailable'), 1000)).toMatchObject({ code: 'CONNECTION_LOST', retryable: true })
      current = await start(first.port)
      expect(await within(5000, echo(client, 'again'))).toBe('again')
      await until(() => changes.length >= 2, 'the changes')
      await sleep(300)
      expect([...changes].sort()).toEqual(['resources', 'tools'])
      expectLosses(kinds(), 'disconnected')
    } finally {
      first.kill()
      current.kill()
    }
  })
})

describe('a suspended server', () => {
  test('C23: SIGSTOP: calls and close() time out; SIGCONT: everything continues', async () => {
    const server = await startHttp()
    try {
      const { client } = await open(`http://127.0.0.1:${server.port}/mcp`, { timeouts: { requestTimeoutMs: 3000 } })
      expect(await echo(client, 'before')).toBe('before')
      server.kill('SIGSTOP')
      const failures = await Promise.all(Array.from({ length: 20 }, () => failureOf(echo(client, 'frozen'), 2000)))
      for (const { code } of failures) expect(code).toBe('TIMEOUT')
      server.kill('SIGCONT')
      expect(await echo(client, 'after')).toBe('after')
    } finally {
      server.kill('SIGKILL')
    }
  })
})
