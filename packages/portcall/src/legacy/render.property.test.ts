import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coreResults, formSchema, samplingParams, serverInfo } from '../../../../test/support/arbitraries.ts'
import { hasOracle, oracle } from '../../../../test/support/oracle.ts'
import { REVISIONS } from '../protocol/revisions.ts'
import { renderResult } from './render.ts'
import { renderAsk } from './render-ask.ts'
import { renderCapabilities } from './render-capabilities.ts'
import { renderImplementation } from './render-entity.ts'

const legacy = REVISIONS.filter(({ era }) => era === 'legacy')

describe.skipIf(!hasOracle)('what is rendered', () => {
  test.each(Object.entries(coreResults))(
    'is a result of %s that the newest revision allows, but for blocks that nobody knows',
    (method, results) => {
      const newest = oracle(REVISIONS.at(-1)!.version)
      const known = results.filter((result) => !JSON.stringify(result).includes('hologram'))
      fc.assert(
        fc.property(known, (result) => {
          expect(newest.result(method, JSON.parse(JSON.stringify(result)))).toBeUndefined()
        }),
      )
    },
  )
})

describe.skipIf(!hasOracle).each(legacy)('rendered for $version', (revision) => {
  const official = oracle(revision.version)
  const closed = oracle(revision.version, { closed: true })

  test.each(Object.entries(coreResults))(
    'any result of %s fits the official schema, and has no field that it does not name',
    (method, results) => {
      fc.assert(
        fc.property(results, (result) => {
          const before = JSON.stringify(result)
          const rendered: unknown = JSON.parse(JSON.stringify(renderResult(method, result as never, revision)))
          expect(official.result(method, rendered)).toBeUndefined()
          expect(closed.result(method, rendered)).toBeUndefined()
          expect(JSON.stringify(result)).toBe(before)
        }),
      )
    },
  )

  test('the answer to initialize fits', () => {
    const capabilities = {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: {},
      completions: {},
      logging: {},
      extensions: { 'a/b': {} },
    }
    fc.assert(
      fc.property(serverInfo, (info) => {
        const result = {
          protocolVersion: revision.version,
          capabilities: renderCapabilities(capabilities, revision),
          serverInfo: renderImplementation(info, revision),
        }
        expect(closed.result('initialize', result)).toBeUndefined()
      }),
    )
  })

  test('ELI-008 ELI-010 ELI-011 any form fits, or cannot be asked', () => {
    fc.assert(
      fc.property(formSchema, (requestedSchema) => {
        const ask = renderAsk({ method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema } }, revision)
        expect(ask === undefined).toBe(!revision.asks.includes('elicitation/create'))
        if (ask) expect(closed.request({ jsonrpc: '2.0', id: 1, method: ask.method, params: ask.params })).toBeUndefined()
      }),
    )
  })

  test('SMP-005 SMP-007 SMP-008 any question to a model fits, or cannot be asked', () => {
    fc.assert(
      fc.property(samplingParams, (params) => {
        const ask = renderAsk({ method: 'sampling/createMessage', params: params as never }, revision)
        if (revision.sampling.arrays) expect(ask).toBeDefined()
        if (ask)
          expect(
            closed.request({ jsonrpc: '2.0', id: 1, method: ask.method, params: JSON.parse(JSON.stringify(ask.params)) }),
          ).toBeUndefined()
      }),
    )
  })
})
