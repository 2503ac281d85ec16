import type { Io } from '../io.ts'
import { misused } from '../stop.ts'
import type { ChangeFlags } from './change-flags.ts'
import { difference } from './difference.ts'
import type { Editor, Place } from './edit.ts'
import { HOSTS, type Host } from './hosts.ts'
import { loadEditor } from './load-editor.ts'
import { readText, replaceFile } from './write.ts'

/** What a change has done to one configuration. */
export interface Changed {
  readonly host: string
  readonly file: string
  readonly changed: boolean
  readonly backup?: string | undefined
}

/** One configuration before it is changed. */
export interface Opened {
  readonly host: Host
  readonly place: Place
  readonly file: string
  readonly text: string
  readonly editor: Editor
}

/** Changes the configurations of hosts, all of them or, when one cannot be changed, none. */
export async function changeHosts(
  { to, project, 'dry-run': isDry }: ChangeFlags,
  name: string,
  change: (opened: Opened) => Promise<string>,
): Promise<(Changed & { readonly lines: readonly string[] })[]> {
  const plans = await Promise.all(
    hostsOf(to).map(async (id) => {
      const opened = await openHost(id, name, project)
      return { id, opened, next: await change(opened) }
    }),
  )
  const done = []
  for (const { id, opened, next } of plans) {
    const { file, text } = opened
    const changed = next !== text
    const backup = changed && !isDry ? await replaceFile(file, next) : undefined
    done.push({ host: id, file, changed, lines: changed ? difference(text, next) : [], ...(backup && { backup }) })
  }
  return done
}

/** Tells what was, or would be, done. */
export function tellChanges(done: Awaited<ReturnType<typeof changeHosts>>, isDry: boolean, io: Io): void {
  if (io.json) return io.value(done.map(({ lines: _lines, ...one }) => one))
  for (const { host, file, changed, backup, lines } of done) {
    const title = HOSTS[host]?.title ?? host
    io.talk(
      `${title}: ${changed ? (isDry ? 'would change' : 'changed') : 'nothing to change in'} ${file}${backup ? `, backup ${backup}` : ''}`,
    )
    if (isDry) for (const line of lines) io.data(line)
  }
}

function hostsOf(to: readonly string[]): readonly string[] {
  const names = Object.keys(HOSTS)
  if (to.length === 0) throw misused('say where to: --to HOST', `HOST is ${names.join(', ')}`)
  const strange = to.find((one) => !names.includes(one))
  if (strange !== undefined) throw misused(`there is no host ${strange}`, `there are ${names.join(', ')}`)
  return [...new Set(to)]
}

async function openHost(id: string, name: string, isProject: boolean): Promise<Opened> {
  const host = HOSTS[id] as Host
  if (isProject && host.project === undefined) throw misused(`${host.title} has no configuration for projects`)
  const file = isProject ? (host.project ?? '') : host.file()
  const text = await readText(file)
  const editor = await loadEditor(host.format)
  const place = { key: host.key, name }
  await editor.read(text, place).catch((error: unknown) => {
    throw misused(
      `${file} cannot be read, so it is not touched: ${error instanceof Error ? error.message.split('\n', 1)[0] : error}`,
    )
  })
  return { host, place, file, text, editor }
}
