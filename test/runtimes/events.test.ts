/** Webhooks on every runtime. */
import { describe, expect, it } from 'vitest'
import { EXPECTED } from './events/receive.ts'
import { BINARIES } from './support/binaries.mjs'
import { DIST } from './support/places.mjs'
import { runToEnd } from './support/process.ts'
import { startWorker } from './support/workerd.ts'

const PROGRAM = `${DIST}/events/process.js`
const PROCESSES = {
  'Node 20': [BINARIES['Node 20'], PROGRAM],
  'Node 24': [BINARIES['Node 24'], PROGRAM],
  Bun: [BINARIES.Bun, 'run', PROGRAM],
  Deno: [BINARIES.Deno, 'run', '--no-prompt', PROGRAM],
}

describe('a webhook', () => {
  it.each(Object.entries(PROCESSES))('EVT-074 on %s', async (_name, command) => {
    const { code, stdout, stderr } = await runToEnd(command, 60_000)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual(EXPECTED)
  })

  it('EVT-074 on workerd', async () => {
    const worker = await startWorker('worker-events')
    try {
      const response = await fetch(`${worker.firstLine}/`)
      const text = await response.text()
      expect(response.status, text).toBe(200)
      expect(JSON.parse(text)).toEqual(EXPECTED)
    } finally {
      await worker.stop()
    }
  })
})
