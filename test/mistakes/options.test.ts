/** The rules that hold for the options of every function. */

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EXEMPT, EXEMPT_REPORTS, FACTORIES, type Factory } from './factories.ts'

type Options = Readonly<Record<string, unknown>>

/** Returns the error of a call, which may throw or return a promise that rejects. */
async function errorOf({ create }: Factory, options: unknown): Promise<Error> {
  try {
    await create(options as never)
  } catch (error) {
    return error as Error
  }
  throw new Error('The options were accepted')
}

/** Values that are no numbers. An environment variable that is not set becomes NaN. */
const NO_NUMBERS = ['30s', '500', Number.NaN, -1, null, {}, true]
const NO_FUNCTIONS = ['text', 5, {}, null, true]

describe.each(FACTORIES.map((factory) => [factory.name, factory] as const))('%s', (name, factory) => {
  const { valid = {}, numbers = [], callbacks = [], members = {}, isOpen = false } = factory
  const refuses = async (options: Options, option: string): Promise<void> => {
    const error = await errorOf(factory, { ...valid, ...options })
    expect(error.message).toContain(option)
    // A member of another function or a type error of the engine would be the wrong suspect.
    expect(error.message).toMatch(/must be|unknown option|positive|at least/)
    expect(['TypeError', 'RangeError']).toContain(error.name)
  }

  test('options that are no object', async () => {
    for (const options of ['text', 5, null, []]) {
      const { message } = await errorOf(factory, options)
      expect(message).toMatch(/must be an object|needs/)
    }
  })

  test.skipIf(isOpen)('an unknown option', async () => {
    const { message } = await errorOf(factory, { ...valid, zzUnknown: 1 })
    expect(message).toContain('unknown option "zzUnknown". The options are')
  })

  test.skipIf(numbers.length === 0)('numbers that are none', async () => {
    for (const option of numbers) for (const value of NO_NUMBERS) await refuses({ [option]: value }, option)
  })

  test.skipIf(callbacks.length === 0)('callbacks that are none', async () => {
    for (const option of callbacks) for (const value of NO_FUNCTIONS) await refuses({ [option]: value }, option)
  })

  test.skipIf(Object.keys(members).length === 0)('members', async () => {
    for (const [member, options] of Object.entries(members)) {
      const error = await errorOf(factory, { ...valid, [member]: { zzUnknown: 1 } })
      expect(error.message).toContain(`${name}(): ${member}: unknown option "zzUnknown"`)
      for (const option of options) for (const value of NO_NUMBERS) await refuses({ [member]: { [option]: value } }, option)
    }
  })

  test.skipIf(isOpen)('options that are not set', async () => {
    const unset = Object.fromEntries([...numbers, ...callbacks].map((option) => [option, undefined]))
    const error = await errorOf(factory, { ...unset, ...valid, zzUnknown: undefined, zzLast: 1 })
    expect(error.message).toContain('zzLast')
  })
})

/** The functions of the API reports that take an object of options. */
function functionsWithOptions(): string[] {
  const folder = new URL('../../api/', import.meta.url)
  const reports = readdirSync(folder).filter((file) => !EXEMPT_REPORTS.includes(file.replace('.api.md', '')))
  const declarations = reports.flatMap((file) => [
    ...readFileSync(new URL(file, folder), 'utf8').matchAll(/^export function (\w+)[^;]*?\b\w+Options\b[^;]*;/gm),
  ])
  return [...new Set(declarations.map(([, name = '']) => name))]
}

test('each function that takes options is in the table, or has a reason', () => {
  const known = new Set([...FACTORIES.map(({ name }) => name), ...Object.keys(EXEMPT)])
  const found = functionsWithOptions()
  expect(found.length).toBeGreaterThan(50)
  expect(found.filter((name) => !known.has(name))).toEqual([])
  expect(Object.keys(EXEMPT).filter((name) => FACTORIES.some((one) => one.name === name))).toEqual([])
})
