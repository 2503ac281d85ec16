/** What is shipped to a browser or a worker is found by a bundler, and has nothing of Node in it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DIST } from './support/places.mjs'

it.each(['page', 'worker-client', 'worker-server'])('the bundle of %s is whole', (name) => {
  const { outside, warnings } = JSON.parse(readFileSync(join(DIST, `${name}.json`), 'utf8'))
  expect({ outside, warnings }).toEqual({ outside: [], warnings: [] })
})
