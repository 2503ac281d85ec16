import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { coreResults, formSchema, samplingParams, serverInfo } from '../../../../../test/support/arbitraries.ts'
import { hasOracle, oracle } from '../../../../../test/support/oracle.ts'
import { REVISIONS } from '../../protocol/revisions.ts'
import { renderServerCapabilities } from './capabilities.ts'
import { renderImplementation } from './definitions.ts'
import { downgradePlan } from './downgrade-plan.ts'
import { renderInputRequest } from './input-requests.ts'
import { renderResult } from './render.ts'

const legacy = REVISIONS.filter(({ era }) => era === 'legacy')

describe.skipIf(!hasOracle)('the generated results', () => {
  test.each(Object.entries(coreResults))(
    'are valid results of %s in the newest revision, except for unknown blocks',
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
  const plan = downgradePlan(revision)
  const official = oracle(revision.version)
  const closed = oracle(revision.version, { closed: true })

  test.each(Object.entries(coreResults))(
    'any result of %s conforms to the official schema, without additional fields',
    (method, results) => {
      fc.assert(
        fc.property(results, (result) => {
          const before = JSON.stringify(result)
          const rendered: unknown = JSON.parse(JSON.stringify(renderResult(method, result as never, plan)))
          expect(official.result(method, rendered)).toBeUndefined()
          expect(closed.result(method, rendered)).toBeUndefined()
          expect(JSON.stringify(result)).toBe(before)
        }),
      )
    },
  )

  test('the result of initialize conforms', () => {
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
          capabilities: renderServerCapabilities(capabilities, revision),
          serverInfo: renderImplementation(info, revision),
        }
        expect(closed.result('initialize', result)).toBeUndefined()
      }),
    )
  })

  test('ELI-008 ELI-010 ELI-011 any form conforms, or is not supported', () => {
    fc.assert(
      fc.property(formSchema, (requestedSchema) => {
        const rendered = renderInputRequest(
          { method: 'elicitation/create', params: { mode: 'form', message: 'm', requestedSchema } },
          plan,
        )
        expect(rendered === undefined).toBe(!revision.serverRequests.includes('elicitation/create'))
        if (rendered)
          expect(closed.request({ jsonrpc: '2.0', id: 1, method: rendered.method, params: rendered.params })).toBeUndefined()
      }),
    )
  })

  test('SMP-005 SMP-007 SMP-008 any sampling request conforms, or is not supported', () => {
    fc.assert(
      fc.property(samplingParams, (params) => {
        const rendered = renderInputRequest({ method: 'sampling/createMessage', params: params as never }, plan)
        if (revision.sampling.multipleBlocks) expect(rendered).toBeDefined()
        if (rendered)
          expect(
            closed.request({
              jsonrpc: '2.0',
              id: 1,
              method: rendered.method,
              params: JSON.parse(JSON.stringify(rendered.params)),
            }),
          ).toBeUndefined()
      }),
    )
  })
})
