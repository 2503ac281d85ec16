/** The fast path of the HTTP server and `node:http`: what one accepts, the other does not refuse, on each version of Node. */
import { describe, expect, it } from 'vitest'
import { BINARIES } from './support/binaries.mjs'
import { DIST } from './support/places.mjs'
import { runToEnd } from './support/process.ts'

const NODES = ['Node 20', 'Node 22', 'Node 24'] as const
const SECONDS = process.env.HTTP_PATHS_SECONDS ?? '12'
const SEED = process.env.HTTP_PATHS_SEED ?? '1'

describe.each(NODES)('%s', (name) => {
  it('gives the same responses with and without the fast path', async () => {
    const program = `${DIST}/http-paths/program.js`
    const { code, stdout, stderr } = await runToEnd([BINARIES[name], program, SECONDS, SEED], 80_000 + Number(SECONDS) * 1000)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const report = JSON.parse(stdout)
    expect(report.failures).toEqual([])
    expect(report.node).toMatch(name.replace('Node ', 'v'))
    expect(report.executed).toBeGreaterThan(report.cases / 4)
    expect(report.refused).toBeGreaterThan(report.cases / 4)
  })
})
