import { expect, test } from 'vitest'
import { ConnectionLostError } from '../../jsonrpc/errors.ts'
import { describeToCaller, UpstreamUnavailableError } from './errors.ts'

const lost = (summary: string, strayOutput?: string): Error =>
  new ConnectionLostError(`The server "/opt/x --key hunter2" ${summary}. Its last output on stderr:\ntoken hunter2`, {
    exit: { code: 3, signal: null, stderr: 'token hunter2', summary, ...(strayOutput !== undefined && { strayOutput }) },
  })
const EXITED = 'exited with code 3'

test.each([
  [lost(EXITED, 'hunter2'), 'its program exited with code 3'],
  [lost('was terminated by SIGKILL'), 'its program was terminated by SIGKILL'],
  [lost('was terminated: it wrote too much'), 'its program was terminated: it wrote too much'],
  [new Error('no', { cause: lost(EXITED, 'hunter2') }), 'its program exited with code 3'],
  [new UpstreamUnavailableError('x', lost(EXITED, 'hunter2')), 'its program exited with code 3'],
  [new Error('Could not connect to http://h.example:1/hunter2/mcp: refused'), 'Could not connect to http://h.example:1: refused'],
  [
    new Error('"https://h.example/a?key=hunter2" answered (see https://h.example#hunter2)'),
    '"https://h.example" answered (see https://h.example)',
  ],
  [new Error('The server answered with HTTP 503'), 'The server answered with HTTP 503'],
])('callers do not see what only the operator may know: %s', (error, text) => {
  expect(describeToCaller(error)).toBe(text)
})
