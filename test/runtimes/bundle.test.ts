/** Bundles for browsers and workers resolve completely and contain no Node modules. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DIST } from './support/places.mjs'

it.each(['page', 'worker-client', 'worker-server', 'worker-events'])('the bundle of %s is complete', (name) => {
  const { outside, warnings } = JSON.parse(readFileSync(join(DIST, `${name}.json`), 'utf8'))
  expect({ outside, warnings }).toEqual({ outside: [], warnings: [] })
})
