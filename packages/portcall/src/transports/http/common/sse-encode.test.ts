import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeEvent, encodeMessage, HEARTBEAT } from './sse-encode.ts'

interface Parsed {
  event: string
  data: string
  id: string
  retry: number | undefined
}

/** The parser of the specification, step by step: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
function parse(stream: string): Parsed[] {
  const events: Parsed[] = []
  let [data, event, id] = ['', '', '']
  let retry: number | undefined
  let hasData = false
  for (const line of stream.split(/\r\n|\r|\n/)) {
    if (line === '') {
      if (hasData) events.push({ event: event || 'message', data: data.replace(/\n$/, ''), id, retry })
      ;[data, event, hasData] = ['', '', false]
      continue
    }
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') event = value
    else if (field === 'data') [data, hasData] = [`${data}${value}\n`, true]
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) retry = Number(value)
  }
  return events
}

const difficult = fc.string({
  unit: fc.constantFrom(
    '\r',
    '\n',
    '\r\n',
    '\u2028',
    '\u2029',
    ':',
    ' ',
    'data: ',
    'event: x',
    '\0',
    '\ufeff',
    'ö',
    '😀',
    '\ud800',
  ),
})
const text = fc.oneof(difficult, fc.string({ unit: 'binary' }))

describe('an event', () => {
  test('is parsed to the same text by the algorithm of the specification (H63)', () => {
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const stream = texts.map((data, at) => encodeEvent({ data, id: `a.b.${at}` })).join(HEARTBEAT)
        expect(parse(stream).map(({ data, id }) => [data, id])).toEqual(
          texts.map((data, at) => [data.replace(/\r\n|\r/g, '\n'), `a.b.${at}`]),
        )
      }),
    )
  })

  test('contains exactly the message', () => {
    fc.assert(
      fc.property(text, fc.jsonValue(), (method, value) => {
        const message = { jsonrpc: '2.0' as const, method, params: { value } }
        const [event, ...more] = parse(encodeMessage(message))
        expect(more).toEqual([])
        expect(JSON.parse(event?.data ?? '')).toEqual(JSON.parse(JSON.stringify(message)))
      }),
    )
  })

  test('may set only the reconnection delay, or the endpoint', () => {
    expect(parse(encodeEvent({ retry: 500 }) + encodeEvent({ data: 'x' }))).toEqual([
      { event: 'message', data: 'x', id: '', retry: 500 },
    ])
    expect(parse(encodeEvent({ id: '1', retry: 5, data: '' }))).toEqual([{ event: 'message', data: '', id: '1', retry: 5 }])
    expect(parse(encodeEvent({ event: 'endpoint', data: '/x?y=z' }))).toMatchObject([{ event: 'endpoint', data: '/x?y=z' }])
  })
})
