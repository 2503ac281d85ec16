import { createRecorder } from './recorder.mjs'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** One answer of so many is read and checked; of the others is only seen that they are there. */
const CHECK_EVERY = 64

/** Where answers are slow, more time is measured than was asked for: until there are so many, or it is so many times as long. */
const LEAST_ANSWERS = 20
const MOST_TIMES = 5

/** Whether the answer to the request with that number is checked; each of the first `kinds` is. */
export const isChecked = (turn, kinds) => turn % CHECK_EVERY < kinds

/**
 * Lets a closed loop run, first to warm up, then for the measured time, and gives the sample.
 *
 * @param {object} job `pid`, `workers`, `warmMs`, `ms`
 * @param {(how: { recorder: object, stopped: () => boolean }) => Promise<unknown>} keepBusy runs until `stopped()`
 */
export async function measureWindow(job, keepBusy) {
  const recorder = createRecorder(job)
  let over = false
  const busy = keepBusy({ recorder, stopped: () => over })
  const measured = wait(job.warmMs).then(async () => {
    recorder.start()
    for (let times = 0; times < MOST_TIMES && recorder.count() < LEAST_ANSWERS; times++) await wait(job.ms)
    return recorder.end()
  })
  const sample = await Promise.race([measured, busy.then(() => measured)])
  over = true
  await busy
  return { ...sample, ...recorder.faults() }
}
