import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command, defineCommand } from '../command.ts'
import { noSuch } from '../grammar/nearest.ts'
import { TEMPLATES } from '../new/templates.ts'
import { misused } from '../stop.ts'
import { VERSION } from '../version.ts'

/** `portcall new`: a project to begin with. */
export const create: Command = defineCommand({
  name: 'new',
  summary: 'Makes a project',
  takes: 'none',
  words: ['FOLDER'],
  details: [
    `TEMPLATE is ${Object.entries(TEMPLATES)
      .map(([name, { summary }]) => `${name}: ${summary}`)
      .join('; ')}. The folder has to be empty, or not there.`,
  ],
  flags: { template: { type: 'string', short: 't', value: 'TEMPLATE', description: 'What to begin with; ts by default' } },
  examples: ['portcall new notes', 'portcall new notes --template js'],
  async run({ words: [folder = ''], flags: { template = 'ts' }, io }) {
    const found = Object.hasOwn(TEMPLATES, template) ? TEMPLATES[template] : undefined
    if (!found) throw noSuch('template', template, Object.keys(TEMPLATES))
    const home = resolve(folder)
    const there = await readdir(home).catch(() => [])
    if (there.length > 0) throw misused(`${folder} is not empty`)
    const name =
      basename(home)
        .toLowerCase()
        .replace(/[^a-z0-9._-]+/g, '-')
        .replace(/^[._-]+/, '') || 'server'
    for (const [path, text] of Object.entries(found.files({ name, version: VERSION }))) {
      await mkdir(dirname(join(home, path)), { recursive: true })
      await writeFile(join(home, path), text, { flag: 'wx' })
    }
    io.talk(
      `made ${found.summary} in ${folder}; next: cd ${folder} && npm install && npm ${template === 'client' ? 'start' : 'test'}`,
    )
  },
})
