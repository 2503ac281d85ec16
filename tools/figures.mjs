/** `npm run figures`: sizes of the code: lines and files of each folder of the library and of the packages, comments, and imports of entry points. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, isTest } from './lib/files.mjs'
import { PACKAGE, ROOT, readText, SRC } from './lib/paths.mjs'

const DOC_COMMENT = /\/\*[\s\S]*?\*\//g
const LINE_COMMENT = /^\s*\/\/.*$/gm
const CONDITIONAL_SPREAD = /\.\.\.\([^()]*(?:\([^()]*\)[^()]*)*&& \{/g
const ENTRY_POINT = /from '(?:\.\.\/)+entrypoints\//g

const linesIn = (text) => text.split('\n').length - 1
const count = (text, pattern) => text.match(pattern)?.length ?? 0

/** Returns the figures of files. */
function measure(paths) {
  const texts = paths.map(readText)
  const sum = (of) => texts.reduce((total, text) => total + of(text), 0)
  const sizes = texts.map(linesIn).sort((a, b) => a - b)
  const comments = (text) =>
    (text.match(DOC_COMMENT) ?? []).reduce((total, one) => total + linesIn(one) + 1, count(text, LINE_COMMENT))
  return {
    lines: sum(linesIn),
    files: paths.length,
    median: sizes[Math.floor(sizes.length / 2)] ?? 0,
    largest: sizes.at(-1) ?? 0,
    comments: sum(comments),
    spreads: sum((text) => count(text, CONDITIONAL_SPREAD)),
    entrypoints: sum((text) => count(text, ENTRY_POINT)),
  }
}

const sources = (folder) => filesBelow(folder, '.ts', '.tsx').filter((path) => !isTest(path))
const folders = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory())
const ofFolders = folders
  .map(({ name }) => [`src/${name}`, measure(sources(join(SRC, name)))])
  .sort(([, a], [, b]) => b.lines - a.lines)
const packages = sources(join(ROOT, 'packages')).filter((path) => !path.startsWith(join(PACKAGE, 'test-kit')))

console.table(
  Object.fromEntries([
    ...ofFolders,
    ['packages/portcall/src', measure(sources(SRC))],
    ['packages, without tests', measure(packages)],
    ['tests in packages', measure(filesBelow(join(ROOT, 'packages'), '.ts').filter(isTest))],
    ['test/', measure(filesBelow(join(ROOT, 'test'), '.ts', '.mjs'))],
    ['tools/', measure(filesBelow(join(ROOT, 'tools'), '.mjs'))],
  ]),
)
