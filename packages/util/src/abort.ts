import { LinkedSet, type LinkedSetEntry } from './linked-set.ts'

export type AbortListener = (reason: unknown) => void

/**
 * Something that can be aborted, such as the context of a request, a `LazyAbort` or an `AbortController`. Without `signal` and `onAbort` it
 * is never aborted.
 */
export interface AbortSource {
  /** May be created on first read. */
  readonly signal?: AbortSignal | undefined
  /**
   * Calls the listener once with the abort reason, immediately if already aborted. Returns a function that unsubscribes. Cheaper than a
   * listener on `signal`, which it does not create.
   */
  readonly onAbort?: ((listener: AbortListener) => () => void) | undefined
}

/**
 * An abort flag for objects that are created in large numbers: it creates its `AbortController` when `signal` is first read, and its list
 * of listeners when the first listener is added.
 */
export class LazyAbort implements AbortSource {
  #isAborted = false
  #reason: unknown
  #controller: AbortController | undefined
  #listeners: Listeners | undefined

  get aborted(): boolean {
    return this.#isAborted
  }
  get reason(): unknown {
    return this.#reason
  }
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#isAborted) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  onAbort(listener: AbortListener): () => void {
    if (this.#isAborted) {
      listener(this.#reason)
      return noop
    }
    const entry = (this.#listeners ??= new Listeners()).add(listener)
    return () => entry.remove()
  }

  /** Aborts the signal and calls the listeners, in the order in which they were added. Does nothing if already aborted. */
  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#reason = reason
    this.#controller?.abort(reason)
    this.#listeners?.call(reason)
  }

  /** @throws the reason if already aborted. */
  throwIfAborted(): void {
    if (this.#isAborted) throw this.#reason
  }
}

/**
 * Calls the listener once with the abort reason, immediately if already aborted. Returns a function that unsubscribes. A signal that is
 * shared by many calls gets one event listener in total, because Node warns about more than ten.
 */
export function onAbort(source: AbortSignal | AbortSource, listener: AbortListener): () => void {
  if ('addEventListener' in source) return onSignalAbort(source, listener)
  if (source.onAbort) return source.onAbort(listener)
  return source.signal ? onSignalAbort(source.signal, listener) : noop
}

/** @throws the abort reason if the source is aborted. */
export function throwIfAborted(source: AbortSource): void {
  if (source.onAbort) source.onAbort(rethrow)()
  else source.signal?.throwIfAborted()
}

function rethrow(reason: unknown): never {
  throw reason
}

function noop(): void {}

class Listeners {
  readonly #listeners = new LinkedSet<AbortListener>()

  get isEmpty(): boolean {
    return this.#listeners.isEmpty
  }

  add(listener: AbortListener): LinkedSetEntry {
    return this.#listeners.add(listener)
  }

  /** Calls and removes all listeners. A listener that is removed meanwhile is not called. */
  call(reason: unknown): void {
    for (let listener = this.#listeners.shift(); listener; listener = this.#listeners.shift()) listener(reason)
  }
}

/** The one event listener of a signal. */
interface SignalListener {
  readonly listeners: Listeners
  handleEvent(): void
}

const signalListeners = new WeakMap<AbortSignal, SignalListener>()

function onSignalAbort(signal: AbortSignal, listener: AbortListener): () => void {
  if (signal.aborted) {
    listener(signal.reason)
    return noop
  }
  const { listeners } = signalListeners.get(signal) ?? attach(signal)
  const entry = listeners.add(listener)
  return () => {
    entry.remove()
    if (listeners.isEmpty) detach(signal)
  }
}

function attach(signal: AbortSignal): SignalListener {
  const listeners = new Listeners()
  const signalListener: SignalListener = { listeners, handleEvent: () => listeners.call(signal.reason) }
  signal.addEventListener('abort', signalListener)
  signalListeners.set(signal, signalListener)
  return signalListener
}

function detach(signal: AbortSignal): void {
  const signalListener = signalListeners.get(signal)
  if (!signalListener?.listeners.isEmpty) return
  signal.removeEventListener('abort', signalListener)
  signalListeners.delete(signal)
}
