/** `portcall apps screenshot`: pictures of each view, and what has changed since the last ones. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pluralize } from '../../../util/src/pluralize.ts'
import { usageError } from '../cli-error.ts'
import type { ExitReason } from '../exit-codes.ts'
import type { AppsRun } from './report.ts'
import { readSettings, readViewCalls, type Setting, showOptionsOf, type ViewCall } from './views.ts'

/** The state of a picture. */
type PictureState = 'written' | 'same' | 'updated' | 'differs' | 'failed'

interface TakenPicture {
  readonly path: string
  readonly state: PictureState
  readonly reason?: string
}

/** The time in the pictures. */
const NOW = new Date(Date.UTC(2026, 0, 15, 12))
const SCALE = 2
const DEFAULT_THRESHOLD = 0.001

/** Takes the pictures, and compares them with those in the folder. */
export async function takeScreenshots(run: AppsRun): Promise<ExitReason> {
  const { flags, client, io } = run
  const threshold = Number(flags.threshold ?? DEFAULT_THRESHOLD)
  if (!(threshold >= 0 && threshold <= 1)) throw usageError(`--threshold must be a number from 0 to 1, not ${flags.threshold}`)
  const folder = flags.out ?? 'screenshots'
  mkdirSync(folder, { recursive: true })
  const settings = await readSettings(flags, ['light', 'dark'])
  const pictures: TakenPicture[] = []
  for (const call of await readViewCalls(flags, client))
    for (const setting of settings) {
      const picture = await take(run, { call, setting, folder, threshold })
      pictures.push(picture)
      if (!io.json) print(picture, run)
    }
  if (io.json) io.value({ pictures, browser: run.host.browser })
  else io.print([{ tone: 'strong', text: pluralize(pictures.length, 'picture') }, ` by ${run.host.browser}`])
  return pictures.some(({ state }) => state === 'differs' || state === 'failed') ? 'failed' : 'success'
}

interface Shot {
  readonly call: ViewCall
  readonly setting: Setting
  readonly folder: string
  readonly threshold: number
}

async function take({ flags, host }: AppsRun, { call, setting, folder, threshold }: Shot): Promise<TakenPicture> {
  const { profile, theme } = setting
  const view = await host.show({ ...showOptionsOf(call, setting, flags), scale: SCALE, now: NOW })
  const name = [call.tool, profile, theme, String(view.size.width), ...(flags.mode ? [flags.mode] : [])].join('-')
  const path = join(folder, `${name.replace(/[^\w.-]/g, '_')}.png`)
  try {
    if (view.failure) return { path, state: 'failed', reason: view.failure.message }
    return await keep({ path, picture: await view.screenshot(), threshold, isUpdate: flags.update }, host)
  } finally {
    await view.close()
  }
}

interface Kept {
  readonly path: string
  readonly picture: Uint8Array
  readonly threshold: number
  readonly isUpdate: boolean
}

/** Writes a new picture. One that differs is written beside the expected one, as `.actual.png`. */
async function keep({ path, picture, threshold, isUpdate }: Kept, host: AppsRun['host']): Promise<TakenPicture> {
  const actual = path.replace(/\.png$/, '.actual.png')
  rmSync(actual, { force: true })
  if (!existsSync(path)) {
    writeFileSync(path, picture)
    return { path, state: 'written' }
  }
  const expected = readFileSync(path)
  if (expected.equals(picture)) return { path, state: 'same' }
  const { share, reason } = await host.compare(picture, expected)
  if (share <= threshold) return { path, state: 'same' }
  writeFileSync(isUpdate ? path : actual, picture)
  return { path, state: isUpdate ? 'updated' : 'differs', reason: isUpdate ? reason : `${reason}, see ${actual}` }
}

function print({ path, state, reason }: TakenPicture, { io }: AppsRun): void {
  const tone = state === 'differs' || state === 'failed' ? 'bad' : 'quiet'
  io.print([{ tone, text: state.padEnd(8) }, ` ${path}${reason === undefined ? '' : `: ${reason}`}`], 9)
}
