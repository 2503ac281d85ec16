/** The Portcall client on every runtime, against a Node server. It must release everything: a process exits by itself, no request stays open. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../tools/lib/chromium.mjs'
import { EXPECTED } from './clients/journey.ts'
import { BINARIES } from './support/binaries.mjs'
import { openPage, type Page } from './support/browser.ts'
import { type Counter, startCounter } from './support/counter.ts'
import { DIST } from './support/places.mjs'
import { runToEnd } from './support/process.ts'
import { startWorker } from './support/workerd.ts'

const PROGRAM = `${DIST}/clients/process.js`
const PROCESSES = {
  'Node 20': [BINARIES['Node 20'], PROGRAM],
  'Node 24': [BINARIES['Node 24'], PROGRAM],
  Bun: [BINARIES.Bun, 'run', PROGRAM],
  Deno: [BINARIES.Deno, 'run', '--no-prompt', '--allow-net', '--allow-env', PROGRAM],
}
const REVISIONS = { 'in the newest revision': undefined, 'in a session': '2025-11-25' }
const CHROMIUM = findChromium()
const END_MS = 60_000

let server: Counter
beforeAll(async () => {
  server = await startCounter()
})
afterAll(() => server.close())

describe.each(Object.entries(PROCESSES))('%s', (_name, command) => {
  it.each(Object.entries(REVISIONS))('runs the scenario %s', async (_how, revision) => {
    const { code, stdout, stderr } = await runToEnd([...command, server.url, ...(revision ? [revision] : [])], END_MS)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(EXPECTED)
    expect(await server.stillOpen()).toEqual([])
  })
})

describe('workerd', () => {
  it.each(Object.entries(REVISIONS))('runs the scenario %s', async (_how, revision) => {
    const worker = await startWorker('worker-client')
    try {
      const query = new URLSearchParams({ url: server.url, ...(revision && { revision }) })
      const response = await fetch(`${worker.firstLine}/?${query}`)
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(JSON.parse(text)).toEqual(EXPECTED)
      expect(await server.stillOpen()).toEqual([])
    } finally {
      await worker.stop()
    }
  })
})

describe.skipIf(!CHROMIUM)('Chromium', () => {
  let page: Page
  beforeAll(async () => {
    page = await openPage(server.origin)
  })
  afterAll(() => page?.close())

  it.each(Object.entries(REVISIONS))('runs the scenario %s', async (_how, revision) => {
    expect(await page.travel(server.url, revision)).toEqual(EXPECTED)
    expect(await server.stillOpen()).toEqual([])
    expect(page.errors).toEqual([])
  })
})
