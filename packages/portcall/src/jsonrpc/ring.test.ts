import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRing, type Place } from './ring.ts'

test('a ring has what was added and has not left, in the order in which it came', () => {
  const step = fc.oneof(fc.constant('add' as const), fc.nat(30))
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const ring = createRing<number>()
      const places: Place[] = []
      let model: number[] = []
      for (const one of steps) {
        if (one === 'add') {
          model.push(places.length)
          places.push(ring.add(places.length))
        } else {
          places[one]?.leave()
          model = model.filter((item) => item !== one)
        }
        expect(ring.items()).toEqual(model)
        expect(ring.empty).toBe(model.length === 0)
      }
    }),
  )
})

test('items may leave while they are visited', () => {
  const ring = createRing<() => void>()
  const places = [0, 1, 2].map(() =>
    ring.add(() => {
      for (const place of places) place.leave()
    }),
  )
  for (const visit of ring.items()) visit()
  expect(ring.empty).toBe(true)
})
