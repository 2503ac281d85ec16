/** `npm run check:commits`: the titles of commits since this check exists. Where the history is not there, it checks what is. */
import { spawnSync } from 'node:child_process'
import { MOST, titleFaults } from './lib/commit-titles.mjs'
import { ROOT } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const SINCE = '2026-11-28T08:00:00Z'
/** Returns the commits since `SINCE` as lines `HASH TITLE`. */
function newCommits() {
  const { stdout, status } = spawnSync('git', ['log', '--no-merges', `--since=${SINCE}`, '--format=%h %s'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  return status === 0 ? stdout.split('\n').filter(Boolean) : []
}

const report = createReport('commits')
const commits = newCommits()
report.check(
  `${commits.length} new titles are imperative and at most ${MOST} characters long`,
  commits.flatMap((line) => titleFaults(line.slice(line.indexOf(' ') + 1)).map((fault) => `${line}: ${fault}`)),
)
report.end()
