import { createRecorder } from './recorder.mjs'

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** One response in this many is parsed and checked; of the others only the end is detected. */
const CHECK_EVERY = 64

/** Where responses are slow, the measured period is extended until there are this many, up to this factor. */
const LEAST_ANSWERS = 20
const MOST_TIMES = 5

/** Reports whether the response to the nth request is checked; each of the first `kinds` is. */
export const isChecked = (turn, kinds) => turn % CHECK_EVERY < kinds

/** How long each of several loops runs per slice: shorter than the time for which a busy machine usually keeps one speed. */
const MOMENT_MS = 10

/**
 * Opens a job, runs its closed loop to warm up and then for the measured period, and returns the sample.
 *
 * @param {object} job `pid`, `workers`, `warmMs`, `ms`, and the parameters of `open`
 * @param {Open} open
 *
 * @typedef {(job: object) => Promise<{ keepBusy: KeepBusy, close(): void }>} Open
 * @typedef {(how: { recorder: object, stopped: () => boolean }) => Promise<unknown>} KeepBusy runs until `stopped()`; resolves when all
 *   responses have arrived
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
 * Opens jobs and runs their closed loops alternately in short slices until each has run for `ms`. Returns their samples. Changes in the
 * speed of the machine affect all of them.
 *
 * @param {object[]} jobs each `pid`, `workers`, and the parameters of `open`
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

/** Runs a closed loop for one slice. Requests in flight at its end are awaited and counted. */
async function runMoment(run) {
  run.recorder.start()
  await runUntil(wait(MOMENT_MS), run)
  run.recorder.stop()
}

/** Runs a closed loop until it ends or fails. */
async function runUntil(end, { recorder, keepBusy }) {
  let over = false
  const busy = keepBusy({ recorder, stopped: () => over })
  await Promise.race([end, busy.then(() => end)])
  over = true
  await busy
}
