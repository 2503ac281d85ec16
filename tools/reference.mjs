/**
 * `node tools/reference.mjs`: writes docs/reference out of the doc comments of what the doors export. `--check` tells whether it is fresh,
 * and whether each export says what it is for.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declarationOf } from './lib/declarations.mjs'
import { openDoors } from './lib/exported.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText, shown } from './lib/paths.mjs'
import { ts } from './lib/syntax.mjs'

const FOLDER = join(ROOT, 'docs', 'reference')
const MARK = '<!-- Generated from the doc comments by tools/reference.mjs. -->'
const SPECIFICATION = 'https://modelcontextprotocol.io/specification/'
/** Where the shapes of the protocol are declared. */
const SHAPES = /\/protocol\/(types|errors)\.ts$/

const fileOf = ({ name, entry }) => `${entry === 'index' ? name : entry}.md`

/** Every door with its exports described; what several doors export is at `home`, the first of them. */
function describeDoors() {
  const homes = new Map()
  return openDoors().map((door) => ({
    ...door,
    file: fileOf(door),
    exports: door.exports
      .map((one) => {
        const home = homes.get(one.target) ?? { name: one.name, file: fileOf(door) }
        homes.set(one.target, home)
        return { ...one, home, ...declarationOf(one) }
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }))
}

const isError = ({ statements }) =>
  statements.some((one) => ts.isClassDeclaration(one) && one.heritageClauses?.[0]?.types[0]?.expression.getText() === 'Error')
const isFunction = ({ statements }) => statements.some(ts.isFunctionDeclaration)

/** The chapters of a page: the first whose test an export passes has it. */
const CHAPTERS = [
  ['Functions', isFunction],
  ['Errors', isError],
  ['Values', ({ isValue }) => isValue],
  ['Types', () => true],
]

const anchorOf = (name) => name.toLowerCase()
const entryOf = ({ name, prose, code, path }) =>
  `### ${name}\n\n${prose}\n\n\`\`\`ts\n${code}\n\`\`\`\n\n[Source](../../${shown(path)})`

function pageOf({ name, file, exports }) {
  const own = exports.filter(({ home }) => home.file === file)
  const others = exports.filter(({ home }) => home.file !== file)
  const chapters = CHAPTERS.map(([title, isIn], index) => {
    const entries = own.filter((one) => isIn(one) && !CHAPTERS.slice(0, index).some(([, isEarlier]) => isEarlier(one)))
    return entries.length > 0 && `## ${title}\n\n${entries.map(entryOf).join('\n\n')}`
  })
  const links = others.map(({ name: other, home }) => `[\`${other}\`](${home.file}#${anchorOf(home.name)})`)
  const also = links.length > 0 && `## Also here\n\n${links.join(', ')}.`
  return `${[MARK, `# ${name}`, ...chapters, also].filter(Boolean).join('\n\n')}\n`
}

function indexOf(doors) {
  const rows = doors.map(({ name, file, exports }) => {
    const first = exports.filter(isFunction).map(({ name: one }) => `\`${one}\``)
    return `| [${name}](${file}) | ${first.join(', ') || '–'} |`
  })
  const text =
    'What can be imported, door by door, with what the comments in the source say. How to use it is in [the other pages](../README.md).'
  return `${MARK}\n# Reference\n\n${text}\n\n| door | functions |\n|---|---|\n${rows.join('\n')}\n`
}

/** What the comments lack: an export that does not say what it is for, a shape of the protocol that does not say where it comes from. */
function faultsOf(doors) {
  return doors.flatMap(({ name: door, file, exports }) =>
    exports
      .filter(({ home }) => home.file === file)
      .flatMap(({ name, prose, path }) => {
        if (prose === '') return [`${name} of ${door} has no doc comment (${shown(path)})`]
        const isLinked = !SHAPES.test(path) || prose.includes(SPECIFICATION)
        return isLinked ? [] : [`${name} of ${door} does not link to its section of the specification (${shown(path)})`]
      }),
  )
}

const doors = describeDoors()
const pages = new Map([['README.md', indexOf(doors)], ...doors.map((door) => [door.file, pageOf(door)])])

if (process.argv.includes('--check')) {
  const faults = faultsOf(doors)
  for (const [file, text] of pages) {
    const path = join(FOLDER, file)
    if (!existsSync(path) || readText(path) !== text) faults.push(`${shown(path)} is stale: npm run check:docs -- --write`)
  }
  for (const path of filesBelow(FOLDER, '.md'))
    if (!pages.has(path.slice(FOLDER.length + 1))) faults.push(`${shown(path)} has no door: npm run check:docs -- --write`)
  for (const fault of faults) console.log(fault)
  process.exitCode = faults.length ? 1 : 0
} else {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  for (const [file, text] of pages) writeFileSync(join(FOLDER, file), text)
}
