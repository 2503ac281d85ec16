import { TimeoutError } from 'portcall/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchConnection } from './slow-connection.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watch(io: { isTty?: boolean; json?: boolean } = {}) {
  const lines: string[] = []
  const watched = watchConnection('node', { isTty: true, json: false, ...io, log: (text) => void lines.push(...[text].flat()) })
  return { lines, watched }
}

test('on a terminal, a connection that is not open after 5 seconds is reported once, with what the program printed', () => {
  const { lines, watched } = watch()
  watched.onStderr('Starting\n')
  watched.onEvent({ type: 'unexpected-message', kind: 'syntax', text: 'Listening at http://127.0.0.1:3000/mcp' })
  vi.advanceTimersByTime(4999)
  expect(lines).toEqual([])
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([
    'Still waiting for node to respond …',
    'It has printed to stdout, where only messages are allowed: Listening at http://127.0.0.1:3000/mcp',
    'It has printed to stderr: Starting',
    'It seems to serve HTTP: connect to http://127.0.0.1:3000/mcp, or start it with its option for stdio',
  ])
})

test('without a terminal, a program that serves HTTP is reported too', () => {
  const { lines, watched } = watch({ isTty: false })
  watched.onStderr('Listening at http://127.0.0.1:3000/mcp\n')
  vi.advanceTimersByTime(5000)
  expect(lines.at(-1)).toBe('It seems to serve HTTP: connect to http://127.0.0.1:3000/mcp, or start it with its option for stdio')
})

test.each([{ isTty: false }, { json: true }])('nothing is reported with %o', (io) => {
  const { lines } = watch(io)
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
})

test('nothing is reported of a connection that is open', () => {
  const { lines, watched } = watch()
  watched.end()
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([])
})

test('the error of a program that serves HTTP says how to connect to it', () => {
  const { watched } = watch()
  watched.onStderr('Listening at http://127.0.0.1:3000/mcp\n')
  const timeout = new TimeoutError('initialize', 1000)
  watched.explain(timeout)
  expect(timeout.message).toContain(
    '. It seems to serve HTTP: connect to http://127.0.0.1:3000/mcp, or start it with its option for stdio. ',
  )
})

test('the error of a timeout ends with the last text on stderr; other errors are unchanged', () => {
  const { watched } = watch()
  watched.onStderr(`${'x'.repeat(1000)}\nno such database\n`)
  const timeout = new TimeoutError('initialize', 1000)
  watched.explain(timeout)
  expect(timeout.message).toMatch(
    /^initialize received no response within 1000 ms\. The server printed this to stderr: x+ no such database$/,
  )
  expect(timeout.message.length).toBeLessThan(400)
  const other = new Error('refused')
  watched.explain(other)
  expect(other.message).toBe('refused')
})
