import type { Channel } from 'portcall/client'
import { stringifyMessage } from '../../../portcall/src/jsonrpc/message.ts'
import type { MessageStream } from '../protocol/timeline.ts'
import type { MessageRecorder } from './messages.ts'

const LF = 10
const MAX_LINE_BYTES = 16 * 1024 * 1024

/** Records what is sent on a channel. */
export function tapSent(channel: Channel, messages: MessageRecorder, stream: MessageStream): Channel {
  return {
    ...channel,
    send(message) {
      messages.record({ direction: 'out', text: stringifyMessage(message), stream })
      return channel.send(message)
    },
    receive: (onInput, onClose) => channel.receive(onInput, onClose),
    close: () => channel.close(),
  }
}

/** Records both directions of a channel in memory, which has no bytes. */
export function tapMemoryChannel(channel: Channel, messages: MessageRecorder): Channel {
  return {
    ...tapSent(channel, messages, 'memory'),
    receive(onInput, onClose) {
      channel.receive((input) => {
        if ('value' in input) messages.record({ direction: 'in', text: JSON.stringify(input.value), stream: 'memory' })
        onInput(input)
      }, onClose)
    },
  }
}

/** Splits the stdout of a program into lines and records each. */
export function createLineTap(messages: MessageRecorder): (chunk: Uint8Array) => void {
  let rest: Uint8Array[] = []
  let size = 0
  const finish = (bytes: Uint8Array): void => {
    const text = new TextDecoder().decode(Buffer.concat([...rest, bytes])).replace(/\r$/, '')
    rest = []
    size = 0
    if (text.trim() !== '') messages.record({ direction: 'in', text, stream: 'stdio' })
  }
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      finish(chunk.subarray(start, end))
      start = end + 1
    }
    if (start === chunk.length || size > MAX_LINE_BYTES) return
    rest.push(new Uint8Array(chunk.subarray(start)))
    size += chunk.length - start
  }
}
