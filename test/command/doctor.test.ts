import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { DEMO, portcall, STDIO, serveModule } from './support/portcall.ts'

async function servePage(): Promise<string> {
  const http = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Welcome</title>')
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
}

test('a server that works: every step, and exit code 0', async () => {
  const { code, out } = await portcall(['doctor', await serveModule()])
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^✓ Target .*\n- DNS .*\n✓ TCP connection .*\n/) })
  expect(out).toMatch(/✓ Protocol version +2026-07-28/)
})

test('a web page: the step, the evidence and what to change', async () => {
  const url = await servePage()
  const { code, out } = await portcall(['doctor', url])
  expect(code).toBe(4)
  expect(out).toMatch(/✗ HTTP +The URL is a web page \(“Welcome”\)/)
  expect(out).toMatch(/→ Check the path/)
  expect(out).toMatch(/content-type: text\/html/)
  expect(out).not.toContain('Capabilities')

  const json = await portcall(['doctor', url, '--json'])
  expect(JSON.parse(json.out)).toMatchObject({ verdict: 'failed', failedStep: 'http' })
})

test('programs: one that works, and one that exits', async () => {
  const works = await portcall(['doctor', '--json', '--', process.execPath, STDIO])
  expect({ code: works.code, failedStep: JSON.parse(works.out).failedStep }).toEqual({ code: 0, failedStep: undefined })
  const exits = await portcall(['doctor', '--', process.execPath, '-e', 'console.error("API_KEY is not set"); process.exit(3)'])
  expect(exits.code).toBe(4)
  expect(exits.out).toMatch(/✗ Program .*exited with code 3: API_KEY is not set/)
})

test('a module that only exports a server', async () => {
  const { code, out } = await portcall(['doctor', '--', process.execPath, DEMO])
  expect(code).toBe(4)
  expect(out).toMatch(/✗ Program .*exited with code 0/)
  expect(out).toContain('portcall serve FILE --stdio')
})

test('a URL without the path: the URL to use', async () => {
  const url = await serveModule()
  for (const wrong of [new URL('/', url), new URL('/other', url)]) {
    const { code, out } = await portcall(['doctor', wrong.href])
    expect(code).toBe(4)
    expect(out).toMatch(/✗ HTTP +The path \/\w* does not exist \(HTTP 404\)/)
    expect(out).toContain(`→ An MCP server answers at ${url}: use this URL.`)
  }
})
