/** Concurrent calls with an expired or revoked token: one of them refreshes it for all, across processes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileStore } from 'portcall/auth/client'
import { type KeyValueStore, memoryStores } from 'portcall/stores'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { sleep, within } from '../support/time.ts'
import type { CallerOptions, CallerReport } from './caller.ts'
import { type ProtectedServer, testProtectedServer } from './support/protected-server.ts'
import { createUser } from './support/user.ts'

const PROCESSES = 3
const CALLS = 50
const SLOW = { responses: { token: { delayMs: 300 } } }

/** A server that refuses some tokens. */
interface Strict extends ProtectedServer {
  readonly refused: Set<string>
}

async function testStrict(): Promise<Strict> {
  const refused = new Set<string>()
  const server = await testProtectedServer({ accepts: (token) => !refused.has(token) })
  return Object.assign(server, { refused })
}

/** Signs a user in, with an optional token lifetime in seconds. */
async function signIn(server: ProtectedServer, store: KeyValueStore, seconds?: number): Promise<void> {
  if (seconds !== undefined) server.login.setFaults({ token: { expires_in: seconds } })
  const { client } = await open(server.url, { auth: createUser({ store }).auth })
  expect(await call(client)).toBe('fine')
  await client.close()
  server.login.setFaults(SLOW)
}

function testFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return join(folder, 'tokens.json')
}

interface Caller {
  readonly ready: Promise<unknown>
  go(): Promise<CallerReport>
}

function startCaller(choice: CallerOptions): Caller {
  const child = spawn(process.execPath, [process.env.FAULTS_CALLER!, JSON.stringify(choice)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  return {
    ready: within(10_000, once(lines, 'line'), 'the start of a process'),
    async go() {
      child.stdin.write('go\n')
      const [line] = (await within(15_000, once(lines, 'line'), 'the report of a process')) as [string]
      return JSON.parse(line) as CallerReport
    },
  }
}

async function callFromAll(choice: CallerOptions, before: () => void = () => {}): Promise<CallerReport[]> {
  const callers = Array.from({ length: PROCESSES }, () => startCaller(choice))
  await Promise.all(callers.map(({ ready }) => ready))
  before()
  return Promise.all(callers.map(({ go }) => go()))
}

/** Expects one sign-in and one refresh at the authorization server, and nothing else. */
function expectOneRefresh({ login }: ProtectedServer): void {
  expect(login.requestsTo('token').map(({ parameters, status }) => [parameters.get('grant_type'), status])).toEqual([
    ['authorization_code', 200],
    ['refresh_token', 200],
  ])
  expect(login.requestsTo('authorize')).toHaveLength(1)
  expect(login.requestsTo('register')).toHaveLength(1)
}

const SUCCESS = { answered: CALLS, failures: [], opened: 0 }

describe(`${CALLS} calls in each of ${PROCESSES} processes that share a file`, () => {
  test('send one token request when the token has expired, without a sign-in', async () => {
    const server = await testStrict()
    const file = testFile()
    await signIn(server, fileStore(file), 1)
    await sleep(1100)
    for (const token of server.tokens) server.refused.add(token)
    expect(await callFromAll({ url: server.url, file, calls: CALLS })).toEqual([SUCCESS, SUCCESS, SUCCESS])
    expectOneRefresh(server)
  })

  test('send one token request when the server refuses the token, without a sign-in', async () => {
    const server = await testStrict()
    const file = testFile()
    await signIn(server, fileStore(file))
    const reports = await callFromAll({ url: server.url, file, calls: CALLS, connectFirst: true }, () => {
      for (const token of server.tokens) server.refused.add(token)
    })
    expect(reports).toEqual([SUCCESS, SUCCESS, SUCCESS])
    expectOneRefresh(server)
  })

  test('leave a file that only its owner can read', async () => {
    const server = await testStrict()
    const file = testFile()
    await signIn(server, fileStore(file))
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe(`${CALLS} calls of each of ${PROCESSES} clients that share a store`, () => {
  const callFromClients = async (
    server: ProtectedServer,
    store: KeyValueStore,
    before: () => void = () => {},
  ): Promise<string[]> => {
    const clients = await Promise.all(
      Array.from({ length: PROCESSES }, async () => (await open(server.url, { auth: createUser({ store }).auth })).client),
    )
    before()
    return Promise.all(clients.flatMap((client) => Array.from({ length: CALLS }, () => call(client))))
  }

  test('send one token request when the token has expired', async () => {
    const server = await testStrict()
    const { store } = memoryStores()
    await signIn(server, store, 1)
    await sleep(1100)
    for (const token of server.tokens) server.refused.add(token)
    expect(new Set(await callFromClients(server, store))).toEqual(new Set(['fine']))
    expectOneRefresh(server)
  })

  test('send one token request when the server refuses the token', async () => {
    const server = await testStrict()
    const { store } = memoryStores()
    await signIn(server, store)
    const results = await callFromClients(server, store, () => {
      for (const token of server.tokens) server.refused.add(token)
    })
    expect(new Set(results)).toEqual(new Set(['fine']))
    expectOneRefresh(server)
  })
})
