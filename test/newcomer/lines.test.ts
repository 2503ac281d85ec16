/** The line counts of the README: programs of other libraries and of Portcall that behave the same, and their lengths. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bearerToken } from 'portcall/auth/client'
import { connect } from 'portcall/client'
import { authorizationServer, textOf } from 'portcall/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../support/free-port.mjs'

const LIBRARIES = ['portcall', 'official', 'fastmcp']
const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')

/** Runs a program of lines/ on a free port and returns the URL of its endpoint. */
async function start(name: string): Promise<string> {
  const port = String(await freePort())
  process.env.PORT = port
  await import(`./lines/${name}.ts`)
  return `http://127.0.0.1:${port}/mcp`
}

test.each(LIBRARIES)('typed-tool-%s answers a call with structured content', async (library) => {
  const client = await connect(await start(`typed-tool-${library}`))
  onTestFinished(() => client.close())
  expect((await client.callTool('divide', { a: 6, b: 3 })).structuredContent).toEqual({ quotient: 2 })
})

test.each(LIBRARIES)('scopes-%s requires a token, and a scope for each tool', async (library) => {
  const login = await authorizationServer()
  onTestFinished(() => login.close())
  process.env.ISSUER = login.issuer
  const url = await start(`scopes-${library}`)
  await expect(connect(url)).rejects.toThrow()

  const token = await login.issue({ subject: 'ada', resources: [url], scopes: ['notes:read'] })
  const client = await connect(url, { auth: bearerToken(() => token) })
  onTestFinished(() => client.close())
  expect(textOf(await client.callTool('list'))).toBe('Notes of ada')
  await expect(client.callTool('erase')).rejects.toThrow()
})

describe('the README counts the lines of', () => {
  const ROWS = { 'typed-tool': 'serve a typed tool over HTTP', scopes: 'verify access tokens, with a scope per tool' }
  test.each(Object.entries(ROWS))('%s', (task, title) => {
    const counts = LIBRARIES.map((library) => read(`./lines/${task}-${library}.ts`).split('\n').filter(Boolean).length)
    expect(read('../../README.md')).toContain(`| Lines to ${title} | ${counts.join(' | ')} |`)
  })
})
