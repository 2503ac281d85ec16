import type { GatewayEvent } from 'portcall/gateway'
import { RpcError } from 'portcall/jsonrpc'
import { expect, test, vi } from 'vitest'
import { growthOf, PIECES } from '../../portcall/test-kit/growth.ts'
import { adviceForOutput } from '../../util/src/served-url.ts'
import { formatPrompt, formatResource, formatTask, formatTemplate, formatTool } from './format.ts'
import { createActivity } from './gateway/activity.ts'
import { formatNote, formatTable } from './gateway/format-status.ts'
import { createIo } from './io.ts'
import { reportError } from './report-error.ts'
import { typeName } from './schema-types.ts'
import { renderLine } from './styled-line.ts'

/** Tries to add a line to a log, and to control the terminal. */
const FORGED = 'bad\u001b[31m\r\nportcall: gateway: all servers healthy\u2028x\u0085\u202e'

function stderrOf(run: () => unknown): string {
  let written = ''
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
  try {
    run()
  } finally {
    write.mockRestore()
  }
  return written
}

/** Returns the log of the CLI about an event, as it is written when stderr is no terminal. */
function logOf(event: GatewayEvent): string {
  const io = createIo({ json: false, input: false, signal: new AbortController().signal })
  return stderrOf(() => createActivity({ log: io.log, isVerbose: true }).onEvent(event))
}

const EVENTS: readonly ((text: string) => GatewayEvent)[] = [
  (text) => ({ type: 'item-dropped', server: text, kind: 'tool', name: text, reason: text }),
  (text) => ({ type: 'warning', server: text, message: text }),
  (text) => ({ type: 'stderr', server: 'up', text }),
  (text) => ({ type: 'upstream', server: 'up', state: 'failing', error: new Error(text) }) as GatewayEvent,
  (text) => ({ type: 'upstream', server: 'up', state: 'idle', error: new Error(text) }) as GatewayEvent,
  (text) => ({ type: 'error', error: new Error(text), reference: 'r', method: 'm' }) as GatewayEvent,
]

/** Returns the lines of what formats text of others. */
const FORMATTERS: readonly (readonly [title: string, run: (text: string) => string | readonly string[]])[] = [
  [
    'formatTool',
    (text) =>
      formatTool({
        name: text,
        title: text,
        description: text,
        inputSchema: { type: 'object', properties: { [text]: { enum: [text] } } },
      }),
  ],
  ['formatResource', (text) => formatResource({ uri: text, name: text, mimeType: text, description: text })],
  ['formatTemplate', (text) => formatTemplate({ uriTemplate: text, name: text, description: text })],
  ['formatPrompt', (text) => formatPrompt({ name: text, description: text, arguments: [{ name: text }] })],
  [
    'formatTask',
    (text) => formatTask({ taskId: text, status: 'working', statusMessage: text, createdAt: '', lastUpdatedAt: '', ttlMs: 1 }),
  ],
  ['formatTable', (text) => formatTable([['A'], [text]])],
  ['formatNote', (text) => formatNote({ error: text, situation: 'token-missing', target: text })],
  ['renderLine', (text) => renderLine([text], { hasColors: false, width: 80 })],
  ['reportError', (text) => stderrOf(() => reportError(new RpcError(-32603, text), false))],
] // prettier-ignore

test.each(FORMATTERS)('%s adds no line and no control character of others', (_, run) => {
  const result = [run(FORGED)].flat().join('\n')
  expect(result).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u)
  expect(result).not.toMatch(/^portcall: gateway/m)
})

test.each(EVENTS)('event %#: each line of the log says whose it is', (eventOf) => {
  const log = logOf(eventOf(FORGED))
  expect(log).not.toBe('')
  expect(log).not.toMatch(/[^\P{Cc}\n]|[\u2028\u202e]/u)
  expect(log).not.toMatch(/^portcall: gateway/m)
})

test('the output of commands for people is one line for each call', () => {
  let written = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((written += String(text))))
  try {
    createIo({ json: false, input: false, signal: new AbortController().signal }).line(FORGED)
  } finally {
    write.mockRestore()
  }
  expect(written).toBe('bad\u241b[31m portcall: gateway: all servers healthy\\u2028x\\u0085\\u202e\n')
})

test.each([
  ...FORMATTERS,
  ...EVENTS.map((eventOf, at) => [`event ${at}`, (text: string) => logOf(eventOf(text))] as const),
  ['adviceForOutput', (text: string) => adviceForOutput(`http://localhost:1/${text}`)] as const,
  ['typeName', (text: string) => typeName({ type: 'array', items: { enum: [text, text] } }, {})] as const,
])('%s takes linear time', (_, run) => {
  const slow = PIECES.filter((piece) => growthOf(run, (size) => `a${piece.repeat(size / piece.length)}b`) > 3)
  expect(slow).toEqual([])
}) // prettier-ignore
