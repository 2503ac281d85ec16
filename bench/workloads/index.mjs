import { CALLS } from './calls.mjs'
import { CLIENT } from './client.mjs'
import { COLD } from './cold.mjs'
import { COMMANDS } from './commands.mjs'
import { COUNTS } from './counts.mjs'
import { ELICIT } from './elicit.mjs'
import { FRAMEWORKS } from './frameworks.mjs'
import { GATEWAY } from './gateway.mjs'
import { INSPECTORS } from './inspector.mjs'
import { LARGE } from './large.mjs'
import { LINE } from './line.mjs'
import { LIST } from './list.mjs'
import { LOAD_GENERATORS } from './load-generators.mjs'
import { MEMORY } from './memory.mjs'
import { PAUSED } from './paused.mjs'
import { PROGRESS } from './progress.mjs'
import { SIZE } from './size.mjs'
import { STORES } from './stores.mjs'
import { TYPES } from './types.mjs'
import { VIEWS } from './views.mjs'
import { WORKERS } from './workers.mjs'

/**
 * A group of related measurements. Its id is a path; `--only` takes a prefix of it.
 *
 * @typedef {object} Group
 * @property {string} id
 * @property {string} title
 * @property {string[]} columns the metrics to show, names of report/metrics.mjs
 * @property {string[]} subjects the subjects that support it
 * @property {() => Promise<string | undefined>} [prepare] installs what the group needs besides its subjects, as that of a subject
 * @property {Cell[]} cells the measurements, in order
 * @property {number} rounds of a full run
 * @property {number} [turns] how often each cell is measured per round; default: once
 * @property {number} [peerRounds] the rounds of peers; default: 2
 * @property {(subject: string, settings: Settings) => Promise<Handle>} open called before the cells of a round
 * @property {(handle: Handle, cell: Cell, settings: Settings) => Promise<Sample>} measure measures one cell once
 * @property {(cell: Cell, subject: string) => string | undefined} [together] measurements with the same key are made alternately
 * @property {(places: { handle: Handle, cell: Cell }[], settings: Settings) => Promise<Sample[]>} [measureAlternately] measures each of them once
 *
 * @typedef {Record<string, number>} Sample
 *
 * @typedef {{ id: string, title: string, subjects?: string[] }} Cell plus properties of its group; `subjects` if not all take part
 * @typedef {{ close(): Promise<unknown> | unknown }} Handle plus properties of its group
 * @typedef {{ ms: number, warmMs: number, smoke?: boolean }} Settings the measured time and the warm-up time; `smoke` if the run only
 *   checks that everything works, in a second or two
 */

/** @type {Group[]} */
export const GROUPS = [
  ...CALLS,
  ...FRAMEWORKS,
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
  ...LOAD_GENERATORS,
  ...INSPECTORS,
  ...VIEWS,
  ...SIZE,
  ...ELICIT,
  ...STORES,
  ...WORKERS,
  ...GATEWAY,
]
