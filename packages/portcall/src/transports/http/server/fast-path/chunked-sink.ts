import type { Socket } from 'node:net'
import type { HttpLimits } from '../limits.ts'
import { BatchedEventSink } from '../node/event-sink.ts'

/** Ends a body in chunks (RFC 9112, section 7.1). */
const LAST_CHUNK = '0\r\n\r\n'

/** The response that a stream is the body of. */
export interface StreamOwner {
  /** Called when the whole response was sent. */
  onSent(): void
}

/** An event stream on a socket. It takes much less memory than a response of `node:http`. */
export class ChunkedEventSink extends BatchedEventSink<Socket> {
  /** The head, until it is sent with the first text. */
  #head = ''
  #owner: StreamOwner
  #isEnded = false
  #onClose: (() => void) | undefined

  constructor(socket: Socket, owner: StreamOwner, limits: HttpLimits) {
    super(socket, limits)
    this.#owner = owner
  }

  /** Sends the head, which says that the body comes in chunks, and the first text. */
  start(head: string, first: string | undefined): void {
    this.#head = head
    if (first === undefined) this.#send('')
    else void this.write(first)
  }

  override get closed(): boolean {
    return this.#isEnded || !this.output.writable
  }

  override write(text: string): void | Promise<void> {
    // A call is aborted when its socket has closed, which is in a later turn than the error. A handler that sends without pause must not run until then.
    if (this.closed && !this.#isEnded && !this.output.closed) return (this.drained ??= this.waitForDrain())
    return super.write(text)
  }

  onClose(listener: () => void): void {
    if (this.closed) listener()
    else this.#onClose = callBoth(this.#onClose, listener)
  }

  /** Called when the response was sent, and when the connection is closed before that. */
  release(): void {
    const onClose = this.#onClose
    this.#onClose = undefined
    this.settle()
    onClose?.()
  }

  protected startBatch(): void {}

  protected sendBatch(text: string): void {
    if (this.output.writable) this.#send(text)
  }

  protected sendEnd(text: string): void {
    this.#isEnded = true
    this.#send(text, LAST_CHUNK)
  }

  /** Sends text as a chunk, after the head if it was not sent yet. With `end`, the stream has ended when all of it was sent. */
  #send(text: string, end = ''): void {
    const size = Buffer.byteLength(text)
    const chunk = text === '' ? '' : `${size.toString(16)}\r\n${text}\r\n`
    const output = this.#head + chunk + end
    this.#head = ''
    const encoding = size === text.length ? 'latin1' : 'utf8'
    if (end === '') this.output.write(output, encoding)
    else this.output.write(output, encoding, (error) => error || this.#finish())
  }

  #finish(): void {
    this.output.setTimeout(0)
    this.release()
    this.#owner.onSent()
  }
}

/** Returns a function that calls two. Few have more than one listener, and an array for it would take more memory than the listener. */
export function callBoth(first: (() => void) | undefined, second: () => void): () => void {
  if (!first) return second
  return () => {
    first()
    second()
  }
}
