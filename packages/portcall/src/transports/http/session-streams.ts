import type { Message } from '../../jsonrpc/message.ts'
import type { HttpLimits } from './limits.ts'
import type { Stream } from './stream.ts'

/** The streams of one session that clients read, or may come back for. Those that are over are kept as long as there is room for them. */
export class SessionStreams {
  readonly #limits: Pick<HttpLimits, 'maxSessionStreams' | 'maxEndedStreams'>
  readonly #all = new Map<string, Stream>()
  readonly #retired = new Set<Stream>()

  constructor(limits: Pick<HttpLimits, 'maxSessionStreams' | 'maxEndedStreams'>) {
    this.#limits = limits
  }

  /** Whether anybody reads one of them now. */
  get connected(): boolean {
    return [...this.#all.values()].some(({ connected }) => connected)
  }

  /** Whether anybody reads one that belongs to no request. */
  get heard(): boolean {
    return this.#standing().some(({ connected }) => connected)
  }

  get(name: string): Stream | undefined {
    return this.#all.get(name)
  }

  /** All of them, the oldest first. */
  list(): Stream[] {
    return [...this.#all.values()]
  }

  add(stream: Stream): void {
    this.#all.set(stream.name, stream)
  }

  /** Ends the oldest connection of a standing stream when there are as many as may be. */
  makeRoom(): void {
    const connected = this.#standing().filter(({ connected }) => connected)
    if (connected.length >= this.#limits.maxSessionStreams) connected[0]?.leave()
  }

  /** Keeps a stream that is over, in the place of the one that has been over for the longest time. */
  retire(stream: Stream): void {
    this.#retired.add(stream)
    for (const oldest of this.#retired) {
      if (this.#retired.size <= this.#limits.maxEndedStreams) return
      this.forget(oldest)
    }
  }

  /** The client came back to a stream. */
  returned(stream: Stream): void {
    this.#retired.delete(stream)
  }

  /** Keeps a stream no more, and ends its connection; what it has said stays where it rests. */
  remove(stream: Stream): void {
    this.#all.delete(stream.name)
    this.#retired.delete(stream)
    stream.close()
  }

  /** Forgets a stream and what it has said. */
  forget(stream: Stream): void {
    this.remove(stream)
    stream.erase()
  }

  /** Sends a message that belongs to no request: on one standing stream, the newest. Without one it is lost. */
  tell(message: Message): void | Promise<void> {
    const all = this.#standing()
    return (all.findLast(({ connected }) => connected) ?? all.at(-1))?.send(message)
  }

  /** Ends the connections of the standing streams. */
  drain(): void {
    for (const stream of this.#standing()) stream.leave()
  }

  #standing(): Stream[] {
    return this.list().filter(({ standing }) => standing)
  }
}
