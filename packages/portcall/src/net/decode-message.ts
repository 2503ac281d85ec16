import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { isCoded } from './content-coding.ts'
import { decodeBody } from './decode-body.ts'

/** Returns the body of a response of Node's client without its content codings. */
export function decodeMessage(message: IncomingMessage, { origin, pathname }: URL): Readable {
  const contentEncoding = message.headers['content-encoding']
  if (!isCoded(contentEncoding)) return message
  const isStream = /^text\/event-stream\b/i.test(message.headers['content-type'] ?? '')
  return Readable.from(decodeBody({ body: message, contentEncoding, isStream, displayUrl: origin + pathname }))
}
