/**
 * `node tools/gateway-doc.mjs`: writes the tables of docs/gateway/configuration.md from the JSON Schema, and the one of docs/gateway/bridge.md from the
 * differences that the tests of the gateway skip; `--check` compares instead.
 */
import { writeFileSync } from 'node:fs'
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
  if (schema.anyOf) return schema.anyOf.map(sectionOf).find(Boolean)
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
  remoteServer: 'every server that is not in the same process',
  'before2025-06-18': 'a client or a server before 2025-06-18',
  'before2025-11-25': 'a client or a server before 2025-11-25',
  tasksOfNewest: 'a client of 2025-11-25 and a server of 2026-07-28',
}

/** Returns the table of what does not survive a gateway, without repetitions. */
function differences(data) {
  const rows = data.map(({ feature, where, reason }) => row([feature, PAIRS[where], reason]))
  return [row(['Feature', 'With', 'What happens']), row(['---', '---', '---']), ...new Set(rows)].join('\n')
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
