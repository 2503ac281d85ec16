import { expect, test } from 'vitest'
import { type CommandWords, findCommand } from './find-command.ts'
import { COMMON_FLAGS, CONNECTION_FLAGS } from './flags.ts'

const COMMANDS = ['list', 'call', 'serve']
const find = (line: string): CommandWords =>
  findCommand(line.split(' '), {
    flags: { ...CONNECTION_FLAGS, ...COMMON_FLAGS },
    isCommand: (name) => COMMANDS.includes(name),
  })

test.each([
  ['list URL --json', 'list', 'URL --json'],
  ['--json list URL', 'list', '--json URL'],
  ['-v --timeout 5 call URL greet', 'call', '-v --timeout 5 URL greet'],
  ['-t 5 --header list:1 call URL', 'call', '-t 5 --header list:1 URL'],
  ['--timeout=5 call URL', 'call', '--timeout=5 URL'],
  ['--port 8080 serve server.js', 'serve', '--port 8080 server.js'],
  ['--json list -- call', 'list', '--json -- call'],
  ['lst URL', 'lst', 'URL'],
  ['--json lst URL', 'lst', '--json URL'],
  ['--json -- call', undefined, '--json -- call'],
  ['--version', undefined, '--version'],
])('%s', (line, name, args) => {
  expect(find(line)).toEqual({ name, args: args.split(' ') })
})
