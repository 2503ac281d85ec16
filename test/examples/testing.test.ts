/** The examples of docs/tools/testing.md are tests themselves: `node --test` runs them. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { converse } from '../../examples/testing-messages.ts'
import { compileProgram } from '../support/compile.ts'

const example = (name: string): Promise<string> =>
  compileProgram(fileURLToPath(new URL(`../../examples/${name}.ts`, import.meta.url)))

test('the tests in examples/ pass', async () => {
  const programs = await Promise.all([
    example('testing'),
    example('testing-changes'),
    example('testing-events'),
    example('testing-exchange'),
    example('testing-faults'),
    example('testing-input'),
    example('testing-login-faults'),
    example('testing-recordings'),
    example('testing-resources'),
    example('testing-sign-in'),
    example('testing-stores'),
    example('testing-time'),
    example('testing-token'),
    example('testing-transports'),
  ])
  const { stdout } = await promisify(execFile)(process.execPath, ['--test', '--test-reporter', 'tap', ...programs])
  expect(stdout).toMatch(/^# fail 0$/m)
  expect(Number(/^# pass (\d+)$/m.exec(stdout)?.[1])).toBeGreaterThanOrEqual(21)
}, 120_000)

test('testing-messages', async () => {
  const initialize = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const received = await converse([
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } },
  ])
  expect(received).toMatchObject([
    { id: 1, result: { protocolVersion: '2025-03-26' } },
    { id: 2, result: { content: [{ text: '3' }] } },
  ])
})
