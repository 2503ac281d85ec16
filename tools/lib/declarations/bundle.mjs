import { basename } from 'node:path'
import { createGraph } from './graph.mjs'
import { printLists, printStatement, scopeOf } from './print.mjs'

const CLIENTS = ['client', 'events-client', 'skills-client', 'tasks-client']
const SMALL = [
  'jsonrpc',
  'logging',
  'metrics',
  'stores',
  'stores-redis',
  'stores-sqlite',
  'stores-postgres',
  'gateway-admin',
  'telemetry',
]
const VIEWS = ['apps', 'apps-host', 'apps-openai', 'apps-preact', 'apps-react']

/**
 * Declarations that several entry points share, in files for the compiler to read together. A file takes what is reachable from an entry
 * point of each of its lists; the first that matches wins, and the last takes the rest. The fewer files, the less space they take on disk; an
 * entry point should read little that it does not need.
 */
const TOGETHER = [
  { file: 'basics', from: [SMALL] },
  { file: 'core', from: [['index', 'http'], CLIENTS] },
  { file: 'server', from: [['index']] },
  { file: 'http', from: [['http']] },
  { file: 'node', from: [['node']] },
  { file: 'client', from: [CLIENTS] },
  { file: 'views', from: [VIEWS] },
  { file: 'shared', from: [] },
]

/** The folder of the files that are no entry points. */
const FOLDER = 'types/'

/** Returns the exports of an entry point, and the files whose exports it passes on as they are. */
function exportsOf({ entry, path }, { moduleOf, resolve }) {
  const { comment, exports, stars } = moduleOf(path)
  const names = [...exports].map(([name, { typeOnly }]) => ({ name, typeOnly, declaration: resolve(path, name) }))
  const others = stars.flatMap((file) => [...moduleOf(file).exports.keys()].map((name) => resolve(file, name)))
  return { entry, comment, names, stars, declarations: [...names.map(({ declaration }) => declaration), ...others] }
}

/** Returns the file of a declaration. Files whose interfaces others extend stay what they are: an interface is extended in its file. */
function fileOf({ path, entries }, extended) {
  if (extended.has(path)) return FOLDER + basename(path, '.d.ts')
  if (entries.size === 1) return [...entries][0]
  const { file } = TOGETHER.find(({ from }) => from.every((names) => names.some((name) => entries.has(name))))
  return FOLDER + file
}

function specifierOf(from, to) {
  if (!from.startsWith(FOLDER)) return `./${to}.js`
  return to.startsWith(FOLDER) ? `./${basename(to)}.js` : `../${to}.js`
}

const isType = ({ parts }) => parts.every((part) => part.isType)

/** Sorts the exports of an entry point by how they are written: where they are declared, or in lists. */
function placeExports(file, names) {
  const inline = new Set()
  const lists = { export: [], 'export type': [] }
  for (const { name, typeOnly, declaration } of names) {
    const isHere = declaration.file === file
    const as = name
    if (isHere && declaration.name === name && (!typeOnly || isType(declaration))) inline.add(declaration)
    else
      lists[typeOnly ? 'export type' : 'export'].push({
        from: isHere ? '' : (declaration.package ?? specifierOf(file, declaration.file)),
        name: declaration.imported ?? declaration.name,
        as,
      })
  }
  return { inline, lists }
}

function createWriter({ resolve }) {
  function importsOf(file, mentions) {
    return mentions
      .filter((other) => other.file !== file)
      .map((other) => ({
        from: other.package ?? specifierOf(file, other.file),
        name: other.imported ?? other.name,
        as: other.name,
      }))
  }

  /** Writes the declarations of a file. */
  return function write(file, declarations, { comment = '', names = [], stars = [] } = {}) {
    const mentions = [...new Set(declarations.flatMap((declaration) => [...declaration.mentions]))]
    const scope = scopeOf(file, [...declarations, ...mentions])
    const { inline, lists } = placeExports(file, names)
    const statements = new Map()
    for (const declaration of declarations) {
      const isExported = inline.has(declaration) || declaration.isShared
      for (const part of declaration.parts) {
        const text = printStatement(part, { scope, resolve, isExported })
        statements.set(
          part,
          part.extends ? text.replace(/'[^']+'/, `'${specifierOf(file, FOLDER + basename(part.extends, '.d.ts'))}'`) : text,
        )
      }
    }
    return [
      ...(comment ? [comment] : []),
      ...printLists('import type', importsOf(file, mentions)),
      ...statements.values(),
      ...stars.map((path) => `export type * from '${specifierOf(file, FOLDER + basename(path, '.d.ts'))}';`),
      ...Object.entries(lists).flatMap(([keyword, items]) => printLists(keyword, items)),
      'export {};\n',
    ].join('\n')
  }
}

/**
 * Bundles declaration files that the compiler emitted: what is reachable from the exports of the entry points, in one file for each of these
 * and a few that they share. A declaration is in one file only, so that it is the same for all entry points, and keeps its name and its
 * comment. Returns the text of each file by its path without extension.
 */
export function bundleDeclarations(entryFiles) {
  const graph = createGraph()
  const entries = entryFiles.map((file) => exportsOf(file, graph))
  for (const { entry, declarations } of entries) for (const declaration of declarations) graph.mark(entry, declaration)
  const own = graph.own()
  const extended = new Set([
    ...entries.flatMap(({ stars }) => stars),
    ...own.flatMap(({ parts }) => parts.map((part) => part.extends)),
  ])
  for (const declaration of own) declaration.file = fileOf(declaration, extended)
  for (const { file, mentions } of own) for (const other of mentions) other.isShared ||= other.file !== file
  for (const { entry, declarations } of entries) for (const other of declarations) other.isShared ||= other.file !== entry
  const write = createWriter(graph)
  const files = new Map(entries.map(({ entry }) => [entry, []]))
  for (const declaration of own) files.set(declaration.file, [...(files.get(declaration.file) ?? []), declaration])
  const settings = new Map(entries.map((exports) => [exports.entry, exports]))
  return new Map([...files].map(([file, declarations]) => [file, write(file, declarations, settings.get(file))]))
}
