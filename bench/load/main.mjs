/** The load generator: a separate process that runs the jobs its parent sends, one after the other. */
import { runAlternately } from './alternate.mjs'
import { runElicit } from './elicit.mjs'
import { holdMany, letGo } from './hold.mjs'
import { runHttp } from './http.mjs'
import { runLine } from './line.mjs'
import { runPaced } from './paced.mjs'
import { runPaused } from './paused.mjs'
import { closeProgram, openProgram } from './program.mjs'
import { runStdio } from './stdio.mjs'

const JOBS = {
  http: runHttp,
  open: openProgram,
  stdio: runStdio,
  alternate: runAlternately,
  close: closeProgram,
  paced: runPaced,
  paused: runPaused,
  line: runLine,
  hold: holdMany,
  letGo,
  elicit: runElicit,
}

process.on('message', async ({ kind, ...job }) => {
  try {
    process.send({ result: await JOBS[kind](job) })
  } catch (error) {
    process.send({ error: String(error.stack) })
  }
})
process.on('disconnect', () => process.exit())
