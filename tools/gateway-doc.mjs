/** `node tools/gateway-doc.mjs`: writes the tables of docs/gateway/configuration.md from the JSON Schema; `--check` compares instead. */
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
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
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

await ensure()
const text = readText(PAGE)
const { gateway } = readJson(join(DIST, 'gateway.schema.json')).properties
const fresh = text.replace(PART, (_all, begin, end) => `${begin}\n\n${keys(gateway)}\n\n${end}`)
if (process.argv.includes('--check')) {
  const report = createReport('docs/gateway/configuration.md')
  report.check('matches the JSON Schema', fresh === text ? [] : ['out of date: node tools/gateway-doc.mjs'])
  report.end()
} else writeFileSync(PAGE, fresh)
