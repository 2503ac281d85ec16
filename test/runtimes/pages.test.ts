/** The programs of docs/deployment/cloudflare-workers.md and docs/deployment/bun-deno.md on their runtimes. */
import { spawn } from 'node:child_process'
import process from 'node:process'
import { connect } from 'portcall/client'
import { textOf } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../support/free-port.mjs'
import { BINARIES } from './support/binaries.mjs'
import { DIST, FOLDER } from './support/places.mjs'
import { statusFor } from './support/raw.ts'
import { startWorker } from './support/workerd.ts'

const REVISIONS = ['2026-07-28', '2025-11-25']

async function worker(name: string): Promise<string> {
  const running = await startWorker(name)
  onTestFinished(async () => void (await running.stop()))
  return `${running.firstLine}/mcp`
}

/** Starts a program that listens on a port. */
async function program([command = '', ...args]: readonly string[], port: number): Promise<string> {
  const child = spawn(command, args, { cwd: FOLDER, env: { ...process.env, PORT: String(port) }, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}/mcp`
  await eventually(() => fetch(url, { method: 'HEAD' }))
  return url
}

async function greet(url: string, protocolVersion: string, args = {}): Promise<string> {
  const client = await connect(url, { protocolVersion, elicit: () => ({ name: 'Ada' }) })
  onTestFinished(() => client.close())
  return textOf(await client.callTool('greet', args))
}

test.each(REVISIONS)('a worker answers %s', async (revision) => {
  expect(await greet(await worker('page-worker'), revision, { name: 'Ada' })).toBe('Hello, Ada!')
})

test('a worker rejects hosts that it does not list', async () => {
  const url = await worker('page-worker')
  expect(await statusFor(url, 'mcp.example.com')).toBe(200)
  expect(await statusFor(url, 'evil.example')).toBe(403)
})

test.each(REVISIONS)('a Durable Object requests input, %s', async (revision) => {
  expect(await greet(await worker('page-durable-object'), revision)).toBe('Hello, Ada!')
})

describe.each(REVISIONS)('%s', (revision) => {
  test('Bun', async () => {
    const port = await freePort()
    const url = await program([BINARIES.Bun, 'run', `${DIST}/pages/bun.js`], port)
    expect(await greet(url, revision)).toBe('Hello, Ada!')
  })

  test('Deno', async () => {
    const port = await freePort()
    const flags = ['serve', '--no-prompt', '--host', '127.0.0.1', '--port', String(port)]
    const url = await program([BINARIES.Deno, ...flags, `${DIST}/pages/deno.js`], port)
    expect(await greet(url, revision)).toBe('Hello, Ada!')
  })
})
