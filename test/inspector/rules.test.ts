/** Servers that break one rule each, and the rule that the inspector names. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { OperationRequest } from '../../packages/inspector/server/protocol/operations.ts'
import type { RuleViolation } from '../../packages/inspector/server/protocol/timeline.ts'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { startInspector, type TestInspector } from './support/inspector.ts'

const PROGRAM = fileURLToPath(new URL('fixtures/misbehaving.mjs', import.meta.url))

/** A request whose response comes after everything that the program has written before. */
const LAST: OperationRequest = { type: 'list', kind: 'tools' }

async function violationsOf(inspector: TestInspector, serverId: string): Promise<RuleViolation[]> {
  const entries = (await inspector.entries()).filter((entry) => entry.serverId === serverId)
  return entries.flatMap((entry) => ('violations' in entry ? (entry.violations ?? []) : []))
}

test.each([
  'not-json',
  'invalid-message',
  'old-batch',
  'unknown-response-id',
  'second-response',
  'old-id-reuse',
  'unknown-error-code',
  'empty-error-message',
  'missing-result-type',
  'unknown-result-type',
  'old-result-type-of-newer-revision',
  'result-shape',
  'old-structured-content',
  'content-type',
  'input-requests',
  'unknown-progress-token',
  'late-progress',
  'progress-must-increase',
  'server-request',
  'old-unknown-method',
  'unknown-notification',
  'log-level',
  'params-shape',
  'caching-hints',
])('a program that breaks the rule %s', async (fault) => {
  const inspector = await startInspector()
  const server = await inspector.connect({ kind: 'program', command: process.execPath, args: [PROGRAM, fault] })
  expect(server.failure).toBeUndefined()
  await inspector.operate(server.id, { type: 'call-tool', name: 'go', arguments: {} })
  await inspector.operate(server.id, LAST)
  const violations = await violationsOf(inspector, server.id)
  expect([...new Set(violations.map(({ rule }) => rule))]).toEqual([fault.replace('old-', '')])
  for (const { link, message } of violations) {
    expect(link).toMatch(/^https:\/\/(modelcontextprotocol\.io\/specification|www\.jsonrpc\.org)\//)
    expect(message).not.toBe('')
  }
})

test.each(['', 'old-'])('a program that breaks no rule (%s)', async (fault) => {
  const inspector = await startInspector()
  const server = await inspector.connect({ kind: 'program', command: process.execPath, args: [PROGRAM, fault] })
  await inspector.operate(server.id, { type: 'call-tool', name: 'go', arguments: {} })
  await inspector.operate(server.id, LAST)
  expect(await violationsOf(inspector, server.id)).toEqual([])
})

const HEADS: { readonly [rule: string]: (response: ServerResponse, body: string) => void } = {
  'wrong-content-type': (response, body) => response.writeHead(200, { 'content-type': 'text/plain' }).end(body),
  'missing-challenge': (response) => response.writeHead(401).end(),
  'session-id': (response, body) =>
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'a b' }).end(body),
  'redirect-without-location': (response) => response.writeHead(307).end(),
}

test.each(Object.keys(HEADS))('an HTTP server that breaks the rule %s', async (rule) => {
  const http = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { id } = JSON.parse(body || '{}') as { id?: number }
    const result = {
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      supportedVersions: ['2026-07-28'],
      capabilities: {},
    }
    HEADS[rule]?.(response, JSON.stringify({ jsonrpc: '2.0', id, result }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const inspector = await startInspector()
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
  const server = await inspector.connect({ kind: 'url', url }, { signIn: false })
  await eventually(async () =>
    expect((await violationsOf(inspector, server.id)).map((violation) => violation.rule)).toContain(rule),
  )
})
