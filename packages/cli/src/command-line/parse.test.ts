import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CliError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { parse } from './parse.ts'

const command: Command = defineCommand({
  name: 'try',
  summary: 'Try',
  serverUse: 'connect',
  args: ['<what>', '[more...]'],
  flags: { save: { type: 'string', value: 'DIR', description: '' }, quick: { type: 'boolean', short: 'q', description: '' } },
  examples: [],
  run: async () => {},
})

const positional = fc.string({ minLength: 1 }).filter((text) => !text.startsWith('-'))
const anything = fc.string()
const option: fc.Arbitrary<string[]> = fc.oneof(
  fc.constant<string[]>(['--quick']),
  fc.constant<string[]>(['-q']),
  positional.map((value) => ['--header', value]),
  fc.string().map((value) => [`--env=${value}`]),
)

const valuesOf = (options: readonly string[][]): object => ({
  quick: options.some(([name]) => name === '--quick' || name === '-q'),
  header: options.flatMap(([name, value]) => (name === '--header' ? [value] : [])),
  env: options.flatMap(([name]) => (name?.startsWith('--env=') ? [name.slice('--env='.length)] : [])),
})

describe('a command line', () => {
  test('may have options anywhere; arguments keep their order, and everything after -- belongs to the program', () => {
    const line = fc.record({
      location: positional,
      args: fc.array(positional, { minLength: 1, maxLength: 6 }),
      options: fc.array(option, { maxLength: 6 }),
      positions: fc.infiniteStream(fc.nat()),
      program: fc.option(fc.array(anything, { minLength: 1 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(line, ({ location, args, options, positions, program }) => {
        const parts = [...(program ? [] : [[location]]), ...args.map((arg) => [arg])]
        for (const each of options) parts.splice(positions.next().value! % (parts.length + 1), 0, each)
        const inOrder = parts.filter((part) => options.includes(part))
        const parsed = parse(command, [...parts.flat(), ...(program ? ['--', ...program] : [])])
        expect(parsed.args).toEqual(args)
        expect(parsed.server).toEqual(program ? { program } : { location })
        expect(parsed.flags).toMatchObject(valuesOf(inOrder))
      }),
    )
  })

  test('is parsed or rejected with a usage error, whatever it contains', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anything, fc.constantFrom('--', '-', '--save', '--quick=1', '-qx', '--no-quick'))),
        (args) => {
          try {
            parse(command, args)
          } catch (error) {
            expect(error).toBeInstanceOf(CliError)
            expect((error as CliError).exitReason).toBe('usage')
          }
        },
      ),
    )
  })

  test.each([
    [[], 'try needs a server'],
    [['--'], '-- must be followed by the program'],
    [['x'], 'try needs <what>'],
    [['x', 'y', '--save'], '--save needs a value: --save DIR'],
    [['x', 'y', '--save', '--quick'], '--save needs a value'],
    [['x', 'y', '--quick=1'], '--quick takes no value'],
    [['x', 'y', '--save', 'a', '--save', 'b'], '--save is set twice'],
    [['x', 'y', '--quik'], 'unknown option: --quik'],
    [['x', 'y', '--stdio'], 'unknown option: --stdio'],
  ])('%j: %s', (args, message) => {
    expect(() => parse(command, args)).toThrow(message)
  })
})
