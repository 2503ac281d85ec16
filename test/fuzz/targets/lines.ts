/** The reader of lines on stdio: chunks make no difference, and each line is read as JSON or reported once. */
import type { ChannelInput } from '../../../packages/portcall/src/jsonrpc/channel.ts'
import { shortenDeepItems } from '../../../packages/portcall/src/protocol/deep-items.ts'
import { createLineReader, type LineReaderOptions } from '../../../packages/portcall/src/transports/stdio/lines.ts'
import { check, pieces, splitInput } from './pieces.ts'

const LIMITS = { maxBytes: 300, maxDepth: 8 }

function read(chunks: readonly Buffer[], options: Partial<LineReaderOptions>): ChannelInput[] {
  const received: ChannelInput[] = []
  const reader = createLineReader({ ...LIMITS, ...options, onReceived: (input) => void received.push(input) })
  for (const chunk of chunks) reader.push(chunk)
  reader.end()
  return received
}

export function fuzz(data: Buffer): void {
  const [sizes, bytes] = splitInput(data)
  for (const options of [{}, { excerptBytes: 20, shortenDeep: shortenDeepItems }]) {
    const whole = read([bytes], options)
    check(JSON.stringify(whole) === JSON.stringify(read(pieces(bytes, sizes), options)), 'chunks do not change the messages')
    const lines = bytes.toString('latin1').split('\n')
    check(whole.length <= lines.length, 'a line is at most one message')
  }
}
