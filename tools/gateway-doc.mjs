/**
 * `node tools/gateway-doc.mjs`: writes the tables of docs/gateway/configuration.md from the JSON Schema, and the one of docs/gateway/bridge.md from the
 * differences that the tests of the gateway skip and from what `portcall install` adds to hosts; `--check` compares instead.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { DIST, ROOT, readJson, readText } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'

const PAGE = join(ROOT, 'docs', 'gateway', 'configuration.md')
const PART = /(<!-- keys of the gateway section -->)[\s\S]*?(<!-- end of keys -->)/

const row = (cells) => `| ${cells.join(' | ')} |`
const table = (rows) => [row(['Key', 'Type', 'Meaning']), row(['---', '---', '---']), ...rows.map(row)].join('\n')

/** Describes the type of a value. */
function typeOf(schema) {
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ')
  if (schema.type === 'array') return `array of ${typeOf(schema.items).replace(/^string$/, 'strings')}`
  if (schema.type === 'object' && schema.additionalProperties) return 'object by name'
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** Returns the section with keys that an object, an item or a member has. */
function sectionOf(schema) {
  if (schema.properties) return schema
  if (schema.anyOf) {
    const sections = schema.anyOf.map(sectionOf).filter(Boolean)
    return sections.length > 0 ? { properties: Object.assign({}, ...sections.map(({ properties }) => properties)) } : undefined
  }
  if (schema.items) return sectionOf(schema.items)
  return typeof schema.additionalProperties === 'object' ? sectionOf(schema.additionalProperties) : undefined
}

/** Returns the rows of a section; nested sections follow with their path. */
function rowsOf(section, prefix = '') {
  return Object.entries(section.properties).flatMap(([key, schema]) => {
    const nested = sectionOf(schema)
    const suffix = schema.items && nested ? '[]' : nested && !schema.properties && schema.additionalProperties ? '.NAME' : ''
    const own = [`\`${prefix}${key}\``, typeOf(schema), schema.description]
    return [own, ...(nested ? rowsOf(nested, `${prefix}${key}${suffix}.`) : [])]
  })
}

/** Returns one table for each key of the section that has keys itself, and one for the others. */
function keys({ properties }) {
  const entries = Object.entries(properties).filter(([, { description }]) => !description.startsWith('Reserved'))
  const simple = entries.filter(([, schema]) => !sectionOf(schema))
  const sections = entries.filter(([, schema]) => sectionOf(schema))
  return [
    ...sections.map(([key, schema]) => {
      const prefix = !schema.properties && schema.additionalProperties ? 'NAME.' : ''
      return `### ${key}\n\n${schema.description}\n\n${table(rowsOf(sectionOf(schema), prefix))}`
    }),
    `### Other keys\n\n${table(simple.map(([key, schema]) => [`\`${key}\``, typeOf(schema), schema.description]))}`,
  ].join('\n\n')
}

const DIFFERENCES_PAGE = join(ROOT, 'docs', 'gateway', 'bridge.md')
const DIFFERENCES_PART = /(<!-- differences -->)[\s\S]*?(<!-- end of differences -->)/
/** The pairs of clients and servers, by their name in the data. */
const PAIRS = {
  earlierClient: 'a client before 2025-11-25, and a later server',
  earlierServer: 'a server before 2025-11-25, and a later client',
  legacyServer: 'a server of the legacy era',
  olderServer: 'a server of an older revision than the client',
  channelServer: 'a server over stdio',
  legacyProgram: 'a server of the legacy era over stdio',
  remoteServer: 'every server outside the process of the gateway',
  newest: 'a client and a server of 2026-07-28',
  'before2025-06-18': 'a client or a server before 2025-06-18',
  'before2025-11-25': 'a client or a server before 2025-11-25',
  tasksOfNewest: 'a client of 2025-11-25 and a server of 2026-07-28',
}

/** Returns the table of what does not survive a gateway, without repetitions. */
function differences(data) {
  const unnamed = data.find(({ where }) => !PAIRS[where])
  if (unnamed) throw new Error(`PAIRS has no text for ${unnamed.where}`)
  const rows = data.map(({ feature, where, reason }) => row([feature, PAIRS[where], reason]))
  return [row(['Feature', 'With', 'What happens']), row(['---', '---', '---']), ...new Set(rows)].join('\n')
}

const HOSTS_PART = /(<!-- hosts -->)[\s\S]*?(<!-- end of hosts -->)/
const HOME = '/home/ann'
const CLI = join(DIST, 'cli', 'main.js')
/** The entries to show: their title, and what `portcall install` is asked to add. */
const ENTRIES = {
  'the bridge as a program': ['--', 'npx', '-y', 'portcall', 'bridge', 'https://api.example.com/mcp'],
  'the bridge at a URL': ['http://127.0.0.1:3333/mcp'],
}

/** Runs the command outside of this repository, whose own `portcall` is the one that `npx` starts here. */
function install(...args) {
  const env = { PATH: process.env.PATH, HOME }
  return spawnSync(process.execPath, [CLI, 'install', ...args], { encoding: 'utf8', env, cwd: tmpdir() })
}

/** Returns the hosts that `portcall install` knows, in the order of its help. */
function installableHosts() {
  const [, list = ''] = /Hosts:\n((?: {2}\S.*\n)+)/.exec(install('--help').stdout) ?? []
  return list.split('\n').flatMap((line) => line.trim().split(/ {2,}/)[0] || [])
}

/** Returns what `portcall install` would add to a host: the file and the lines, or no lines if the host does not support it. */
function entryOf(host, server) {
  const { status, stdout, stderr } = install('--dry-run', '--name', 'api', '--to', host, ...server)
  if (status === 2) return { file: '', lines: undefined }
  const [, file] = /: would change (.*)\n/.exec(stderr) ?? []
  if (status !== 0 || !file) throw new Error(`portcall install --to ${host} failed: ${stderr}`)
  const text = stdout.replaceAll(/^\+ /gm, '').trim()
  const lines = text.startsWith('{') ? [JSON.stringify(JSON.parse(text)).slice(1, -1)] : text.split('\n')
  return { file: `\`${file.replace(HOME, '~')}\``, lines }
}

/** Returns one table for each kind of entry. */
function hosts() {
  const names = installableHosts()
  return Object.entries(ENTRIES)
    .map(([title, server]) => {
      const rows = names.map((host) => {
        const { file, lines = [] } = entryOf(host, server)
        return row([`\`${host}\``, file, lines.map((line) => `\`${line}\``).join('<br>') || 'supports only programs'])
      })
      const heading = `Entry for ${title}`
      return [row(['Host', 'File (Linux)', heading]), row(['---', '---', '---']), ...rows].join('\n')
    })
    .join('\n\n')
}

await ensure()
const { gateway } = readJson(join(DIST, 'gateway.schema.json')).properties
const pages = [
  { page: PAGE, part: PART, content: keys(gateway), source: 'the JSON Schema' },
  {
    page: DIFFERENCES_PAGE,
    part: DIFFERENCES_PART,
    content: differences(readJson(join(ROOT, 'test', 'gateway', 'differences.json'))),
    source: 'test/gateway/differences.json',
  },
  { page: DIFFERENCES_PAGE, part: HOSTS_PART, content: hosts(), source: 'what `portcall install` adds' },
]
const report = createReport('docs/gateway')
for (const { page, part, content, source } of pages) {
  const text = readText(page)
  const fresh = text.replace(part, (_all, begin, end) => `${begin}\n\n${content}\n\n${end}`)
  if (process.argv.includes('--check'))
    report.check(
      `${page.slice(ROOT.length)} matches ${source}`,
      fresh === text ? [] : ['out of date: node tools/gateway-doc.mjs'],
    )
  else writeFileSync(page, fresh)
}
if (process.argv.includes('--check')) report.end()
