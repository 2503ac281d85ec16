import { describe, expect, test } from 'vitest'
import { typesOf } from '../../cli/src/schema-types.ts'
import { mergeAlternatives } from '../../portcall/src/adapters/merge-alternatives.ts'
import { reachable, readParts } from './parts.ts'

interface Node {
  readonly name: string
  readonly parts: Node[]
}

/** Returns the first of some nodes that each have the next one four times: there are 4^levels paths to the last. */
function createLattice(levels: number): Node {
  let node: Node = { name: `${levels}`, parts: [] }
  for (let level = levels - 1; level >= 0; level--) node = { name: `${level}`, parts: new Array(4).fill(node) }
  return node
}

test('each value is reached once, also in circles', () => {
  const start = createLattice(40)
  expect(reachable(start, ({ parts }) => parts)).toHaveLength(41)
  const circle: Node = { name: 'circle', parts: [] }
  circle.parts.push(circle)
  expect(reachable(circle, ({ parts }) => parts)).toEqual([circle])
})

test('each value is read once at each depth, and not below the greatest', () => {
  let reads = 0
  const count = readParts<Node, number>(createLattice(40), 30, ({ parts }, readPart) => {
    reads++
    return 1 + (readPart ? parts.reduce((sum, part) => sum + readPart(part), 0) : 0)
  })
  expect(reads).toBe(31)
  expect(count).toBe((4 ** 31 - 1) / 3)
})

describe('the time for a schema does not depend on the number of paths to its parts', () => {
  const ref = (name: string): object => ({ $ref: `#/$defs/${name}` })
  const lattice = (keyword: string): object =>
    Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `S${index}`,
        {
          [keyword]: new Array(12).fill(ref(`S${index + 1}`)),
          ...(keyword === 'allOf' && { properties: { [`p${index}`]: {} } }),
        },
      ]),
    )

  test.each(['allOf', 'anyOf', 'oneOf'])('%s in the adapters for agents', (keyword) => {
    const $defs = { ...lattice(keyword), S30: { properties: { last: {} } } }
    const merged = mergeAlternatives({ type: 'object', $defs, [keyword]: [ref('S23')] })
    expect(merged.properties).toHaveProperty('last')
  })

  test('alternatives in the command', () => {
    const $defs = { ...lattice('anyOf'), S30: { type: 'integer' } }
    expect(typesOf(ref('S0'), { $defs })).toEqual(new Set(['integer']))
  })
})
