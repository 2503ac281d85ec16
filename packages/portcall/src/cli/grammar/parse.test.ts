import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Command, defineCommand } from '../command.ts'
import { Stop } from '../stop.ts'
import { parse } from './parse.ts'

const command: Command = defineCommand({
  name: 'try',
  summary: 'Tries',
  takes: 'target',
  words: ['WHAT', '[MORE …]'],
  flags: { save: { type: 'string', value: 'FOLDER', description: '' }, quick: { type: 'boolean', short: 'q', description: '' } },
  examples: [],
  run: async () => {},
})

const word = fc.string({ minLength: 1 }).filter((text) => !text.startsWith('-'))
const anything = fc.string()
const flag: fc.Arbitrary<string[]> = fc.oneof(
  fc.constant<string[]>(['--quick']),
  fc.constant<string[]>(['-q']),
  word.map((value) => ['--header', value]),
  fc.string().map((value) => [`--env=${value}`]),
)

/** What the flags of a line mean, whatever stands between them. */
const meaning = (flags: readonly string[][]): object => ({
  quick: flags.some(([name]) => name === '--quick' || name === '-q'),
  header: flags.flatMap(([name, value]) => (name === '--header' ? [value] : [])),
  env: flags.flatMap(([name]) => (name?.startsWith('--env=') ? [name.slice('--env='.length)] : [])),
})

describe('a command line', () => {
  test('flags stand anywhere, words keep their order, and what follows -- belongs to the program', () => {
    const line = fc.record({
      target: word,
      words: fc.array(word, { minLength: 1, maxLength: 6 }),
      flags: fc.array(flag, { maxLength: 6 }),
      places: fc.infiniteStream(fc.nat()),
      program: fc.option(fc.array(anything, { minLength: 1 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(line, ({ target, words, flags, places, program }) => {
        const parts = [...(program ? [] : [[target]]), ...words.map((one) => [one])]
        for (const one of flags) parts.splice(places.next().value! % (parts.length + 1), 0, one)
        const inOrder = parts.filter((part) => flags.includes(part))
        const parsed = parse(command, [...parts.flat(), ...(program ? ['--', ...program] : [])])
        expect(parsed.words).toEqual(words)
        expect(parsed.target).toEqual(program ? { program } : { word: target })
        expect(parsed.flags).toMatchObject(meaning(inOrder))
      }),
    )
  })

  test('any words at all are understood or refused, never broken', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anything, fc.constantFrom('--', '-', '--save', '--quick=1', '-qx', '--no-quick'))),
        (args) => {
          try {
            parse(command, args)
          } catch (error) {
            expect(error).toBeInstanceOf(Stop)
            expect((error as Stop).ending).toBe('usage')
          }
        },
      ),
    )
  })

  test.each([
    [[], 'try needs a server'],
    [['--'], '-- has to be followed by the program'],
    [['x'], 'try needs WHAT'],
    [['x', 'y', '--save'], '--save needs a value: --save FOLDER'],
    [['x', 'y', '--save', '--quick'], '--save needs a value'],
    [['x', 'y', '--quick=1'], '--quick takes no value'],
    [['x', 'y', '--save', 'a', '--save', 'b'], '--save was given twice'],
    [['x', 'y', '--quik'], 'there is no flag --quik'],
  ])('%j: %s', (args, message) => {
    expect(() => parse(command, args)).toThrow(message)
  })
})
