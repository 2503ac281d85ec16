import { createRecorder } from './recorder.mjs'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** One answer of so many is read and checked; of the others is only seen that they are there. */
const CHECK_EVERY = 64

/** Where answers are slow, more time is measured than was asked for: until there are so many, or it is so many times as long. */
const LEAST_ANSWERS = 20
const MOST_TIMES = 5

/** Whether the answer to the request with that number is checked; each of the first `kinds` is. */
export const isChecked = (turn, kinds) => turn % CHECK_EVERY < kinds

/** How long each of several loops runs before the next has its turn: less than a busy machine mostly keeps one speed. */
const MOMENT_MS = 10

/**
 * Opens a job, lets its closed loop run, first to warm up, then for the measured time, and gives the sample.
 *
 * @param {object} job `pid`, `workers`, `warmMs`, `ms`, and what `open` takes
 * @param {Open} open
 *
 * @typedef {(job: object) => Promise<{ keepBusy: KeepBusy, close(): void }>} Open
 * @typedef {(how: { recorder: object, stopped: () => boolean }) => Promise<unknown>} KeepBusy runs until `stopped()`; ends when all is
 *   answered
 */
export async function measureWindow(job, open) {
  const { keepBusy, close } = await open(job)
  try {
    return await runWindow(job, keepBusy)
  } finally {
    close()
  }
}

async function runWindow(job, keepBusy) {
  const recorder = createRecorder(job)
  const measured = wait(job.warmMs).then(async () => {
    recorder.start()
    for (let times = 0; times < MOST_TIMES && recorder.count() < LEAST_ANSWERS; times++) await wait(job.ms)
    recorder.stop()
  })
  await runUntil(measured, { recorder, keepBusy })
  return recorder.sample()
}

/**
 * Opens jobs and lets their closed loops run in turn, each for a moment at a time while the others rest, until each has run for `ms`; gives
 * their samples. A machine that changes its speed from one moment to the next changes it for all of them.
 *
 * @param {object[]} jobs each `pid`, `workers`, and what `open` takes
 * @param {Open} open
 */
export async function measureAlternately(jobs, open, ms) {
  const opened = await Promise.all(jobs.map(open))
  const runs = opened.map(({ keepBusy }, nth) => ({ recorder: createRecorder(jobs[nth]), keepBusy }))
  try {
    for (let moment = 0; moment * MOMENT_MS < ms; moment++)
      for (const run of moment % 2 ? runs.toReversed() : runs) await runMoment(run)
  } finally {
    for (const { close } of opened) close()
  }
  return runs.map(({ recorder }) => recorder.sample())
}

/** Lets a closed loop run for a moment; what is under way at its end is waited for, and counts. */
async function runMoment(run) {
  run.recorder.start()
  await runUntil(wait(MOMENT_MS), run)
  run.recorder.stop()
}

/** Lets a closed loop run until that is over, or until it fails. */
async function runUntil(end, { recorder, keepBusy }) {
  let over = false
  const busy = keepBusy({ recorder, stopped: () => over })
  await Promise.race([end, busy.then(() => end)])
  over = true
  await busy
}
