/** The load generator: a process of its own that runs one job after the other, as its parent asks. */
import { runHttp } from './http.mjs'

const JOBS = { http: runHttp }

process.on('message', async ({ kind, ...job }) => {
  try {
    process.send({ sample: await JOBS[kind](job) })
  } catch (error) {
    process.send({ error: String(error.stack) })
  }
})
process.on('disconnect', () => process.exit())
