/** The decoder of server-sent events: chunks make no difference, and events that were encoded are decoded to themselves. */
import { createSseDecoder, type ReceivedSseEvent } from '../../../packages/portcall/src/transports/http/common/sse-decode.ts'
import { encodeEvent } from '../../../packages/portcall/src/transports/http/common/sse-encode.ts'
import { check, pieces, splitInput } from './pieces.ts'

const MAX_BYTES = 2000

function decode(chunks: readonly Buffer[]): { events: ReceivedSseEvent[]; failed: boolean; hasComments: boolean } {
  const decoder = createSseDecoder(MAX_BYTES)
  const events: ReceivedSseEvent[] = []
  try {
    for (const chunk of chunks) events.push(...decoder.push(chunk))
    return { events, failed: false, hasComments: decoder.hasComments }
  } catch (error) {
    if (!(error instanceof Error && error.name === 'InvalidResponseError')) throw error
    return { events, failed: true, hasComments: false }
  }
}

export function fuzz(data: Buffer): void {
  const [sizes, bytes] = splitInput(data)
  const whole = decode([bytes])
  const split = decode(pieces(bytes, sizes))
  check(whole.failed === split.failed, 'chunks do not change whether an event is too large')
  if (whole.failed) return
  check(JSON.stringify(whole) === JSON.stringify(split), 'chunks do not change the events')
  for (const event of whole.events) {
    if (event.isMalformed || !event.data || event.data.includes('\r')) continue
    const [again] = decode([Buffer.from(encodeEvent(event))]).events
    check(JSON.stringify(sorted(again)) === JSON.stringify(sorted(event)), 'an encoded event is decoded to itself')
  }
}

/** An empty field is not sent. */
function sorted({ id, event, retry, data }: ReceivedSseEvent = {}): unknown {
  return [id || undefined, event || undefined, retry, data]
}
