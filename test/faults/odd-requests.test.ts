/** Targets, headers and bodies that no server expects: each gets a response below 500, and the process goes on. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failures, ODD_BODIES, ODD_HEADERS, ODD_TARGETS, SUFFIXES } from '../support/odd-requests.ts'
import { type HttpServer, startHttp } from './support/http.ts'

const PATHS = ['/mcp', '/livez', '/readyz', '/.well-known/oauth-protected-resource/mcp']

let server: HttpServer
beforeAll(async () => void (server = await startHttp()))
afterAll(() => server.kill())

test('targets', async () => {
  const targets = [...ODD_TARGETS, ...PATHS.flatMap((path) => SUFFIXES.map((suffix) => path + suffix))]
  expect(
    await failures(
      server.port,
      targets.flatMap((target) => ['GET', 'POST', 'HEAD'].map((method) => ({ method, target }))),
    ),
  ).toEqual([])
})

test('headers', async () => {
  const requests = PATHS.flatMap((target) =>
    ODD_HEADERS.flatMap((header) => ['GET', 'POST'].map((method) => ({ method, target, headers: [header] }))),
  )
  expect(await failures(server.port, requests)).toEqual([])
})

test('bodies', async () => {
  const headers = [['Content-Type', 'application/json']] as const
  expect(
    await failures(
      server.port,
      ODD_BODIES.map((body) => ({ method: 'POST', target: '/mcp', body, headers })),
    ),
  ).toEqual([])
})
