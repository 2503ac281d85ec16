import { expect, test } from 'vitest'
import { createRuns, type RunEnding } from './runs.ts'

function start() {
  const runs = createRuns('check')
  const endings: RunEnding[] = []
  let finish: (error?: Error) => void = () => {}
  const id = runs.start(
    (_, signal) =>
      new Promise((resolve, reject) => {
        finish = (error) => (error ? reject(error) : resolve())
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    (_, ending) => endings.push(ending),
  )
  return { runs, id, endings, finish }
}

test('a run that ends by itself has no ending to report, and cannot be cancelled any more', async () => {
  const { runs, id, endings, finish } = start()
  finish()
  await runs.ended(id)
  expect(endings).toEqual([])
  expect(() => runs.cancel(id)).toThrow('The check is not running')
})

test('a run that throws has failed', async () => {
  const { runs, id, endings, finish } = start()
  finish(new Error('broken'))
  await runs.ended(id)
  expect(endings).toEqual([{ status: 'failed', failure: { code: 'FAILED', message: 'broken' } }])
})

test.each(['cancel', 'stop', 'close'] as const)('%s stops a run, which is then over', async (how) => {
  const { runs, id, endings } = start()
  if (how === 'stop') runs.stop(id, 'a newer one')
  else runs[how](id)
  await runs.ended(id)
  expect(endings).toEqual([{ status: 'cancelled' }])
  runs.stop(id, 'again')
  expect(() => runs.cancel(id)).toThrow('The check is not running')
})
