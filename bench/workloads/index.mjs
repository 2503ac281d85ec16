import { CALLS } from './calls.mjs'
import { CLIENT } from './client.mjs'
import { COLD } from './cold.mjs'
import { COMMANDS } from './commands.mjs'
import { COUNTS } from './counts.mjs'
import { ELICIT } from './elicit.mjs'
import { LARGE } from './large.mjs'
import { LINE } from './line.mjs'
import { LIST } from './list.mjs'
import { MEMORY } from './memory.mjs'
import { PAUSED } from './paused.mjs'
import { PROGRESS } from './progress.mjs'
import { SIZE } from './size.mjs'
import { STORES } from './stores.mjs'
import { TYPES } from './types.mjs'
import { WORKERS } from './workers.mjs'

/**
 * A family of measurements that belong together. Its id is a path; `--only` takes the beginning of one.
 *
 * @typedef {object} Group
 * @property {string} id
 * @property {string} title
 * @property {string[]} columns the metrics to show, names of report/metrics.mjs
 * @property {string[]} subjects who can do it
 * @property {Cell[]} cells what is measured, in this order
 * @property {number} rounds of a full run
 * @property {number} [turns] how often each cell is measured in a round; by default once
 * @property {number} [peerRounds] those in which peers take part; by default 2
 * @property {(subject: string, settings: Settings) => Promise<Handle>} open before the cells of a round
 * @property {(handle: Handle, cell: Cell, settings: Settings) => Promise<Sample>} measure one cell once
 * @property {(cell: Cell, subject: string) => string | undefined} [together] those with the same key are measured alternately
 * @property {(places: { handle: Handle, cell: Cell }[], settings: Settings) => Promise<Sample[]>} [measureAlternately] each of them once
 *
 * @typedef {Record<string, number>} Sample
 *
 * @typedef {{ id: string, title: string, subjects?: string[] }} Cell with what its group wants to know; `subjects` when not all take part
 * @typedef {{ close(): Promise<unknown> | unknown }} Handle with what its group wants to keep
 * @typedef {{ ms: number, warmMs: number, smoke?: boolean }} Settings how long a measured time is, and one for warming up; `smoke` when
 *   it is only tried whether all works, in a second or two
 */

/** @type {Group[]} */
export const GROUPS = [
  ...CALLS,
  ...COUNTS,
  ...LARGE,
  ...LIST,
  ...PROGRESS,
  ...PAUSED,
  ...LINE,
  ...CLIENT,
  ...MEMORY,
  ...TYPES,
  ...COLD,
  ...COMMANDS,
  ...SIZE,
  ...ELICIT,
  ...STORES,
  ...WORKERS,
]
