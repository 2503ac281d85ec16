/** Many calls at once with a token that is good no more: one of them gets another for all, whatever process they are in. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileStore } from 'portcall/auth/client'
import { memory, type Store } from 'portcall/stores'
import { describe, expect, onTestFinished, test } from 'vitest'
import { call, open } from '../client/support/connection.ts'
import { sleep, within } from '../support/time.ts'
import type { CallerChoice, CallerReport } from './caller.ts'
import { type Protected, testProtected } from './support/protected.ts'
import { createUser } from './support/user.ts'

const PROCESSES = 3
const CALLS = 50
const SLOW = { answers: { token: { delayMs: 300 } } }

/** A server that takes no token that it was told of. */
interface Strict extends Protected {
  readonly refused: Set<string>
}

async function testStrict(): Promise<Strict> {
  const refused = new Set<string>()
  const server = await testProtected({ accepts: (token) => !refused.has(token) })
  return Object.assign(server, { refused })
}

/** Signs somebody in, whose token is then good for so many seconds. */
async function signIn(server: Protected, store: Store, seconds?: number): Promise<void> {
  if (seconds !== undefined) server.login.set({ token: { expires_in: seconds } })
  const { client } = await open(server.url, { auth: createUser({ store }).auth })
  expect(await call(client)).toBe('fine')
  await client.close()
  server.login.set(SLOW)
}

function testFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'portcall-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'tokens.json')
}

interface Caller {
  readonly ready: Promise<unknown>
  go(): Promise<CallerReport>
}

function startCaller(choice: CallerChoice): Caller {
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

async function callFromAll(choice: CallerChoice, before: () => void = () => {}): Promise<CallerReport[]> {
  const callers = Array.from({ length: PROCESSES }, () => startCaller(choice))
  await Promise.all(callers.map(({ ready }) => ready))
  before()
  return Promise.all(callers.map(({ go }) => go()))
}

/** One sign-in of the past, one refresh, and nothing else was asked of the authorization server. */
function expectOneRefresh({ login }: Protected): void {
  expect(login.asked('token').map(({ parameters, status }) => [parameters.get('grant_type'), status])).toEqual([
    ['authorization_code', 200],
    ['refresh_token', 200],
  ])
  expect(login.asked('authorize')).toHaveLength(1)
  expect(login.asked('register')).toHaveLength(1)
}

const ALL_WELL = { answered: CALLS, failures: [], opened: 0 }

describe(`${CALLS} calls in each of ${PROCESSES} processes that share a file`, () => {
  test('make one token request when the token has expired, and sign nobody in', async () => {
    const server = await testStrict()
    const file = testFile()
    await signIn(server, fileStore(file), 1)
    await sleep(1100)
    for (const token of server.tokens) server.refused.add(token)
    expect(await callFromAll({ url: server.url, file, calls: CALLS })).toEqual([ALL_WELL, ALL_WELL, ALL_WELL])
    expectOneRefresh(server)
  })

  test('make one token request when the server refuses the token, and sign nobody in', async () => {
    const server = await testStrict()
    const file = testFile()
    await signIn(server, fileStore(file))
    const reports = await callFromAll({ url: server.url, file, calls: CALLS, early: true }, () => {
      for (const token of server.tokens) server.refused.add(token)
    })
    expect(reports).toEqual([ALL_WELL, ALL_WELL, ALL_WELL])
    expectOneRefresh(server)
  })

  test('leave a file that only its owner can read, and nothing beside it', async () => {
    const server = await testStrict()
    const file = testFile()
    await signIn(server, fileStore(file))
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})

describe(`${CALLS} calls of each of ${PROCESSES} clients that share a store`, () => {
  const callFromClients = async (server: Protected, store: Store, before: () => void = () => {}): Promise<string[]> => {
    const clients = await Promise.all(
      Array.from({ length: PROCESSES }, async () => (await open(server.url, { auth: createUser({ store }).auth })).client),
    )
    before()
    return Promise.all(clients.flatMap((client) => Array.from({ length: CALLS }, () => call(client))))
  }

  test('make one token request when the token has expired', async () => {
    const server = await testStrict()
    const { store } = memory()
    await signIn(server, store, 1)
    await sleep(1100)
    for (const token of server.tokens) server.refused.add(token)
    expect(new Set(await callFromClients(server, store))).toEqual(new Set(['fine']))
    expectOneRefresh(server)
  })

  test('make one token request when the server refuses the token', async () => {
    const server = await testStrict()
    const { store } = memory()
    await signIn(server, store)
    const said = await callFromClients(server, store, () => {
      for (const token of server.tokens) server.refused.add(token)
    })
    expect(new Set(said)).toEqual(new Set(['fine']))
    expectOneRefresh(server)
  })
})
