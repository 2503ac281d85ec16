/** A server-sent event. */
export interface SseEvent {
  id?: string
  event?: string
  data?: string
  retry?: number
}

/** Reads the events of a body, however its bytes are split into chunks. Skips comments. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<SseEvent> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const blocks = (rest + decoder.decode(bytes, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parseEvent(block)
      if (Object.keys(event).length > 0) yield event
    }
  }
}

/** Parses the lines of one event. */
export function parseEvent(block: string): SseEvent {
  const event: SseEvent = {}
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([a-z]+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (field === 'retry') event.retry = Number(value)
    else if (field === 'id' || field === 'event') event[field] = value
  }
  return event
}
