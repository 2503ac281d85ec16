/** No request target, header or body ends a process, is left without a response, or causes a 5xx, on any HTTP surface. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BODY_TYPES,
  failures,
  METHODS,
  ODD_BODIES,
  ODD_HEADERS,
  ODD_TARGETS,
  SUFFIXES,
  statusOf,
} from '../support/odd-requests.ts'
import { SURFACES, type Surface } from './http-surfaces/surfaces.ts'

describe.each(Object.entries(SURFACES))('%s', (_, start) => {
  let surface: Surface
  let healthy: number
  beforeAll(async () => {
    surface = await start()
    healthy = await statusOf(surface.port, { method: 'GET', target: surface.paths[0] ?? '/' })
    expect(healthy).toBeGreaterThan(0)
  })
  afterAll(() => surface.close())
  const goesOn = async (): Promise<void> =>
    expect(await statusOf(surface.port, { method: 'GET', target: surface.paths[0] ?? '/' })).toBe(healthy)

  test('answers every target', async () => {
    const targets = [...ODD_TARGETS, ...surface.paths.flatMap((path) => SUFFIXES.map((suffix) => path + suffix))]
    const requests = targets.flatMap((target) => ['GET', 'POST'].map((method) => ({ method, target })))
    expect(await failures(surface.port, requests)).toEqual([])
    await goesOn()
  })

  test('answers every method', async () => {
    const requests = surface.paths.flatMap((target) => METHODS.map((method) => ({ method, target })))
    expect(await failures(surface.port, requests)).toEqual([])
    await goesOn()
  })

  test('answers every header', async () => {
    const requests = surface.paths.flatMap((target) =>
      ODD_HEADERS.flatMap((header) => ['GET', 'POST'].map((method) => ({ method, target, headers: [header] }))),
    )
    expect(await failures(surface.port, requests)).toEqual([])
    await goesOn()
  })

  test('answers every body', async () => {
    const requests = surface.paths.flatMap((target) =>
      BODY_TYPES.flatMap((type) =>
        ODD_BODIES.map((body) => ({ method: 'POST', target, body, headers: [['Content-Type', type]] as const })),
      ),
    )
    expect(await failures(surface.port, requests)).toEqual([])
    await goesOn()
  })
})
