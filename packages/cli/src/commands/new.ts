import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { quote } from '../../../util/src/quote.ts'
import { usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { unknownName } from '../command-line/did-you-mean.ts'
import { TEMPLATES } from '../project-templates.ts'
import { VERSION } from '../version.ts'

/** `portcall new` */
export const newCommand: Command = defineCommand({
  name: 'new',
  summary: 'Create a project',
  serverUse: 'none',
  args: ['<directory>'],
  details: ['The directory must be empty or must not exist.'],
  choices: [
    {
      title: 'Templates',
      values: Object.fromEntries(Object.entries(TEMPLATES).map(([name, { summary }]) => [name, capitalize(summary)])),
    },
  ],
  flags: { template: { type: 'string', short: 't', value: 'TEMPLATE', description: 'Project template (default: ts)' } },
  examples: ['portcall new notes', 'portcall new notes --template js'],
  async run({ args: [directory = ''], flags: { template: templateName = 'ts' }, io }) {
    const template = Object.hasOwn(TEMPLATES, templateName) ? TEMPLATES[templateName] : undefined
    if (!template) throw unknownName('template', templateName, Object.keys(TEMPLATES))
    const root = resolve(directory)
    const obstacle = await findObstacle(root)
    if (obstacle) throw usageError(`${directory} ${obstacle}`)
    for (const [path, text] of Object.entries(template.files({ name: packageNameOf(root), version: VERSION }))) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text, { flag: 'wx' })
    }
    const next = `cd ${quote(directory)} && npm install && npm ${templateName === 'client' ? 'start' : 'test'}`
    io.log(`Created ${template.summary}, in ${directory}. Next: ${next}`)
  },
})

/** Returns the reason why no project can be created at a path; `undefined` if nothing or an empty directory is there. */
async function findObstacle(path: string): Promise<string | undefined> {
  const existing = await lstat(path).catch(() => undefined)
  if (!existing) return undefined
  const names = await readdir(path).catch(() => undefined)
  if (!names) return existing.isSymbolicLink() ? 'is a link that leads to no directory' : 'is not a directory'
  return names.length > 0 ? 'is not empty' : undefined
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function packageNameOf(directory: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
  return name || 'server'
}
