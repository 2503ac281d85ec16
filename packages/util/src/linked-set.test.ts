import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BriefMap, LinkedSet, type LinkedSetEntry } from './linked-set.ts'

test('a linked set contains what was added and not removed, in insertion order', () => {
  const step = fc.oneof(fc.constantFrom('add' as const, 'shift' as const), fc.nat(30))
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const set = new LinkedSet<number>()
      const entries: LinkedSetEntry[] = []
      let model: number[] = []
      for (const step of steps) {
        if (step === 'add') {
          model.push(entries.length)
          entries.push(set.add(entries.length))
        } else if (step === 'shift') {
          expect(set.shift()).toBe(model.shift())
        } else {
          entries[step]?.remove()
          model = model.filter((item) => item !== step)
        }
        expect(set.items()).toEqual(model)
        expect(set.isEmpty).toBe(model.length === 0)
      }
    }),
  )
})

test('items can be removed during iteration', () => {
  const set = new LinkedSet<() => void>()
  const entries = [0, 1, 2].map(() =>
    set.add(() => {
      for (const entry of entries) entry.remove()
    }),
  )
  for (const visit of set.items()) visit()
  expect(set.isEmpty).toBe(true)
})

test('a brief map has the entries of a map, in their order', () => {
  const change = fc.tuple(fc.boolean(), fc.nat(40), fc.nat())
  fc.assert(
    fc.property(fc.array(change, { maxLength: 1000 }), (changes) => {
      const map = new Map<number, number>()
      const brief = new BriefMap<number, number>()
      for (const [isAdded, key, value] of changes) {
        if (!isAdded) expect(brief.delete(key)).toBe(map.delete(key))
        else {
          map.set(key, value)
          brief.set(key, value)
        }
        expect([brief.size, brief.get(key)]).toEqual([map.size, map.get(key)])
      }
      expect([...brief]).toEqual([...map])
    }),
  )
})
