import { expect, test } from 'vitest'
import type { Middleware } from './exchange.ts'
import { markRecording, repeatedRecording } from './recording.ts'

const plain = (): Middleware => (request, context, next) => next(request, context)

test('middleware is repeated if it records the same to the same target', () => {
  const target = {}
  const traces = () => markRecording(plain(), { name: 'traces', target })
  const elsewhere = markRecording(plain(), { name: 'traces', target: {} })
  const metrics = markRecording(plain(), { name: 'metrics', target })
  expect(repeatedRecording(traces(), [plain(), elsewhere, metrics])).toBeUndefined()
  expect(repeatedRecording(plain(), [plain(), traces()])).toBeUndefined()
  expect(repeatedRecording(traces(), [metrics, traces()])).toBe('traces')
})
