import { parseJson } from '../../../util/src/parse-json.ts'
import type { ChannelInput } from '../jsonrpc/channel.ts'
import { isObject, type Message, type RequestId } from '../jsonrpc/message.ts'
import { isRecordingHeader } from './header.ts'

/** One line of a recording, from the perspective of the recorded side. */
export interface RecordingEntry {
  /** When the message was sent or received, in milliseconds since the start of the recording. */
  readonly time: number
  /** The direction, as seen from the recorded side. */
  readonly direction: 'sent' | 'received'
  /** The message, or a batch of messages. */
  readonly message?: Message | Message[]
  /** The ID of the request that a notification or a server request belongs to, in the recording of an Exchange. */
  readonly for?: RequestId
  /** The reason why the input was not a message. */
  readonly unreadable?: string
  /** The other side has closed the channel (`received`), or this side has (`sent`). */
  readonly closed?: true
}

/** A recording in NDJSON format: one entry for each line. In a file, the first line names the format. */
export interface Recording {
  /** The entries, each as JSON. */
  readonly lines: readonly string[]
  /** Returns the contents of a recording file. */
  text(): string
}

/** An entry without its time. */
export type RecordingEvent = Omit<RecordingEntry, 'time'>

export function receivedEvent(input: ChannelInput): RecordingEvent {
  if ('unreadable' in input) return { direction: 'received', unreadable: input.unreadable }
  return { direction: 'received', message: input.value as Message }
}

/** Parses a recording. @throws SyntaxError with the number of the first invalid line, or for a newer format. */
export function readRecording(recording: Recording | string): RecordingEntry[] {
  const lines = typeof recording === 'string' ? recording.split('\n') : recording.lines
  return lines.flatMap((line, index) => (line.trim() === '' ? [] : parseLine(line, index + 1)))
}

function parseLine(line: string, lineNumber: number): RecordingEntry | [] {
  const entry = parseJson(line)
  if (isRecordingHeader(entry)) return []
  if (isObject(entry) && (entry.direction === 'sent' || entry.direction === 'received')) return entry as unknown as RecordingEntry
  throw new SyntaxError(`Line ${lineNumber} is not a valid entry of a recording`)
}
