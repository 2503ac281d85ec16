import { expect, test } from 'vitest'
import { adviceIn, explainFor, situationOf } from './advice.ts'
import { connectionFault, systemCodeOf } from './connection-faults.ts'
import { appendToMessage, PortcallError } from './errors.ts'

class SampleError extends PortcallError {
  readonly code: string

  constructor(code: string, message: string, facts: object = {}) {
    super(message)
    this.code = code
    Object.assign(this, facts)
  }
}

const refused = { status: 401, url: 'https://example.com/mcp' }
const advised = {
  ...refused,
  advice: { situation: 'token-missing', reason: 'HTTP 401', text: adviceIn('token-missing', 'program') },
}
const timeout = { advice: { situation: 'timeout', reason: 'no response within 10 ms', text: 'connectTimeoutMs' } }

test.each([
  ['the situation that was recognized', advised, 'token-missing'],
  ['a refusal', refused, 'token-missing'],
  ['a limit of requests', { status: 429 }, 'too-many-requests'],
  ['a server that fails', { status: 503 }, 'server-unavailable'],
  ['a program that ended without an error', { exit: { code: 0 } }, 'program-ended'],
  ['a program that printed something else', { exit: { code: 0, strayOutput: 'usage' } }, 'program-printed'],
  ['a program that said why it ended', { exit: { code: 1, stderr: 'no database' } }, 'program-printed'],
  ['a program that failed', { exit: { code: 1, stderr: '' } }, 'SAMPLE'],
  ['no facts', {}, 'SAMPLE'],
])('%s tells the situation', (_, facts, situation) => {
  expect(situationOf(new SampleError('SAMPLE', 'text', facts))).toBe(situation)
})

test('an answer that does not match the schema of a question is a situation of its own', () => {
  const cause = { data: { issues: [] } }
  expect(situationOf(new SampleError('INPUT_HANDLER_FAILED', 'text', { cause }))).toBe('input-mismatch')
  expect(situationOf(new SampleError('OTHER', 'text', { cause }))).toBe('OTHER')
})

test.each([
  ['program', advised, { message: 'HTTP 401', hint: adviceIn('token-missing', 'program') }],
  [
    'command',
    advised,
    {
      message: 'HTTP 401',
      hint: 'sign in with portcall login https://example.com/mcp, or pass a token with --header "Authorization: Bearer TOKEN"',
    },
  ],
  [
    'gateway',
    refused,
    {
      message: 'whole message',
      hint: 'sign in with portcall login https://example.com/mcp, or configure its headers or auth',
    },
  ],
  ['page', advised, { message: 'HTTP 401', hint: 'Sign in, or add an Authorization header in the settings.' }],
  ['command', timeout, { message: 'no response within 10 ms', hint: 'allow more time with --timeout SECONDS' }],
] as const)('a %s gets the advice in its own terms', (reader, facts, expected) => {
  expect(explainFor(new SampleError('HTTP_STATUS', 'whole message', facts), reader)).toEqual(expected)
})

test('without words for a reader, the command shows the whole message, and the page its parts', () => {
  const advice = { situation: 'wrong-path', reason: 'HTTP 404', text: 'Check the path' }
  const error = new SampleError('HTTP_STATUS', 'HTTP 404. Check the path', { advice })
  expect(explainFor(error, 'command')).toEqual({ message: 'HTTP 404. Check the path', hint: undefined })
  expect(explainFor(error, 'page')).toEqual({ message: 'HTTP 404', hint: 'Check the path' })
})

test('what is added to a message is kept for every reader', () => {
  const error = new SampleError('TIMEOUT', 'no response within 10 ms (connectTimeoutMs)', timeout)
  appendToMessage(error, '. It printed: x')
  expect(error.message).toBe('no response within 10 ms (connectTimeoutMs). It printed: x')
  expect(explainFor(error, 'page').message).toBe('no response within 10 ms. It printed: x')
})

test('names of the prototype are no situations and no faults', () => {
  expect(adviceIn('constructor', 'command')).toBe('')
  expect(connectionFault('constructor')).toBeUndefined()
  expect(explainFor(new SampleError('toString', 'text'), 'command')).toEqual({ message: 'text', hint: undefined })
})

test.each([
  [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'connection-refused'],
  [new AggregateError([Object.assign(new Error('x'), { code: 'ENOTFOUND' })]), 'name-not-resolved'],
  [new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'CERT_HAS_EXPIRED' }) }), 'certificate-expired'],
  ['text', undefined],
])('%s is a known fault of connections, or none', (error, code) => {
  expect(connectionFault(systemCodeOf(error))?.code).toBe(code)
})
