import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { type AbortSource, LazyAbort, onAbort, throwIfAborted } from './abort.ts'

const countListeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

describe('onAbort', () => {
  test('adds one event listener to a signal, for as long as there are subscriptions', () => {
    const controller = new AbortController()
    const { signal } = controller
    const listener = vi.fn()
    const unsubscribes = Array.from({ length: 30 }, () => onAbort(signal, listener))
    expect(countListeners(signal)).toBe(1)
    for (const unsubscribe of unsubscribes.slice(0, 29)) unsubscribe()
    expect(countListeners(signal)).toBe(1)
    unsubscribes[29]?.()
    expect(countListeners(signal)).toBe(0)
    unsubscribes[29]?.()

    onAbort(signal, listener)
    const removed = vi.fn()
    onAbort(signal, removed)()
    controller.abort('enough')
    expect(listener.mock.calls).toEqual([['enough']])
    expect(removed).not.toHaveBeenCalled()
  })

  test('subscribes to a source without creating its signal', () => {
    const abort = new LazyAbort()
    const source: AbortSource = {
      get signal(): AbortSignal {
        throw new Error('created')
      },
      onAbort: (listener) => abort.onAbort(listener),
    }
    const listener = vi.fn()
    onAbort(source, listener)
    throwIfAborted(source)
    abort.abort('enough')
    expect(listener.mock.calls).toEqual([['enough']])
    expect(() => throwIfAborted(source)).toThrow('enough')
  })

  test('an empty source is never aborted', () => {
    throwIfAborted({})
    onAbort({}, () => expect.unreachable())()
  })
})

describe.each<[string, () => { readonly signal: AbortSignal; abort(reason?: unknown): void }]>([
  ['LazyAbort', () => new LazyAbort()],
  ['an AbortController', () => new AbortController()],
])('%s', (_name, create) => {
  test('calls each listener once with the reason, in order, and immediately if already aborted', () => {
    const source = create()
    const calls: unknown[] = []
    onAbort(source, (reason) => calls.push(['first', reason]))
    onAbort(source, (reason) => calls.push(['second', reason]))
    onAbort(source, (reason) => calls.push(['removed', reason]))()
    source.abort('enough')
    source.abort('again')
    onAbort(source, (reason) => calls.push(['late', reason]))()
    expect(calls).toEqual([
      ['first', 'enough'],
      ['second', 'enough'],
      ['late', 'enough'],
    ])
    expect(source.signal.reason).toBe('enough')
  })

  test('does not call a listener that another listener removed', () => {
    const source = create()
    const second = vi.fn()
    let removeSecond = (): void => {}
    onAbort(source, () => removeSecond())
    removeSecond = onAbort(source, second)
    source.abort()
    expect(second).not.toHaveBeenCalled()
  })

  test('throws its reason only once it is aborted', () => {
    const source = create()
    throwIfAborted(source)
    source.abort()
    expect(() => throwIfAborted(source)).toThrow(expect.objectContaining({ name: 'AbortError' }))
  })
})

test.each(['before', 'after'])('the signal of a LazyAbort that is first read %s the abort is aborted with its reason', (when) => {
  const abort = new LazyAbort()
  const { signal } = when === 'before' ? abort : { signal: undefined }
  expect([abort.aborted, abort.reason]).toEqual([false, undefined])
  abort.throwIfAborted()
  abort.abort('enough')
  expect([abort.aborted, abort.reason]).toEqual([true, 'enough'])
  expect(signal ?? abort.signal).toBe(abort.signal)
  expect(abort.signal).toMatchObject({ aborted: true, reason: 'enough' })
  expect(() => abort.throwIfAborted()).toThrow('enough')
})
