import { expect, test } from 'vitest'
import { ConnectionLostError } from '../jsonrpc/errors.ts'
import { describeToCaller, UpstreamUnavailableError } from './errors.ts'

const exit = (code: number | null, signal: string | null) => ({ code, signal, stderr: 'token hunter2', summary: '' })
const lost = (code: number | null, signal: string | null): Error =>
  new ConnectionLostError('The server "/opt/x --key hunter2" ended. Its last output on stderr:\ntoken hunter2', {
    exit: exit(code, signal),
  })

test.each([
  [lost(3, null), 'its program exited with code 3'],
  [lost(null, 'SIGKILL'), 'its program was terminated by SIGKILL'],
  [lost(null, null), 'its program closed its output'],
  [new Error('no', { cause: lost(3, null) }), 'its program exited with code 3'],
  [new UpstreamUnavailableError('x', lost(3, null)), 'its program exited with code 3'],
  [new Error('Could not connect to http://h.example:1/hunter2/mcp: refused'), 'Could not connect to http://h.example:1: refused'],
  [
    new Error('"https://h.example/a?key=hunter2" answered (see https://h.example#hunter2)'),
    '"https://h.example" answered (see https://h.example)',
  ],
  [new Error('The server answered with HTTP 503'), 'The server answered with HTTP 503'],
])('callers do not see what only the operator may know: %s', (error, text) => {
  expect(describeToCaller(error)).toBe(text)
})
