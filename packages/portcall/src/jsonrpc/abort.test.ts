import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { onAbort } from './abort.ts'

const count = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length

test('many wait for one signal, which has one listener as long as anybody does', () => {
  const controller = new AbortController()
  const { signal } = controller
  const heard = vi.fn()
  const leave = Array.from({ length: 30 }, () => onAbort(signal, heard))
  expect(count(signal)).toBe(1)
  for (const one of leave.slice(0, 29)) one()
  expect(count(signal)).toBe(1)
  leave[29]?.()
  expect(count(signal)).toBe(0)
  leave[29]?.()

  onAbort(signal, heard)
  const unheard = vi.fn()
  onAbort(signal, unheard)()
  controller.abort('enough')
  expect(heard.mock.calls).toEqual([['enough']])
  expect(unheard).not.toHaveBeenCalled()
})

test('a signal that is aborted already calls back at once', () => {
  const heard = vi.fn()
  onAbort(AbortSignal.abort('before'), heard)()
  expect(heard).toHaveBeenCalledWith('before')
})

test('who leaves while others are told is not told', () => {
  const controller = new AbortController()
  const second = vi.fn()
  let leaveSecond = (): void => {}
  onAbort(controller.signal, () => leaveSecond())
  leaveSecond = onAbort(controller.signal, second)
  controller.abort()
  expect(second).not.toHaveBeenCalled()
})
