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

/** Returns the exports of an entry point. Those of the files that it passes on as they are, `stars`, are declared in it. */
function exportsOf({ entry, path }, { moduleOf, resolve }) {
  const { comment, stars } = moduleOf(path)
  const names = [path, ...stars].flatMap((file) =>
    [...moduleOf(file).exports].map(([name, { typeOnly }]) => ({ name, typeOnly, declaration: resolve(file, name) })),
  )
  return { entry, comment, names, stars }
}

/** Returns the file of a declaration. */
function fileOf({ path, entries }, starred) {
  if (starred.has(path)) return starred.get(path)
  if (entries.size === 1) return [...entries][0]
  const { file } = TOGETHER.find(({ from }) => from.every((names) => names.some((name) => entries.has(name))))
  return FOLDER + file
}

function specifierOf(from, to) {
  if (!from.startsWith(FOLDER)) return `./${to}.js`
  return to.startsWith(FOLDER) ? `./${basename(to)}.js` : `../${to}.js`
}

/** Returns where a file finds a declaration of another, and its name there. */
const sourceOf = (file, other) => ({
  from: other.package ?? specifierOf(file, other.file),
  name: other.imported ?? other.name,
})

const isType = ({ parts }) => parts.every((part) => part.isType)

/** Sorts the exports of an entry point by how they are written: where they are declared, or in lists. */
function placeExports(file, names) {
  const inline = new Set()
  const lists = { export: [], 'export type': [] }
  for (const { name, typeOnly, declaration } of names) {
    const isHere = declaration.file === file
    const source = isHere ? { from: '', name: declaration.name } : sourceOf(file, declaration)
    if (isHere && declaration.name === name && (!typeOnly || isType(declaration))) inline.add(declaration)
    else lists[typeOnly ? 'export type' : 'export'].push({ ...source, as: name })
  }
  return { inline, lists }
}

/** Writes the declarations of a file, whose imports and exports name the other files. */
function writeFile(file, declarations, { comment = '', names = [], starred, resolve }) {
  const mentions = [...new Set(declarations.flatMap((declaration) => [...declaration.mentions]))]
  const scope = scopeOf(file, [...declarations, ...mentions])
  const { inline, lists } = placeExports(file, names)
  const imports = mentions.filter((other) => other.file !== file).map((other) => ({ ...sourceOf(file, other), as: other.name }))
  // A statement can declare several names.
  const statements = new Map()
  for (const declaration of declarations) {
    const isExported = inline.has(declaration) || declaration.isShared
    for (const part of declaration.parts) {
      const text = printStatement(part, { scope, resolve, isExported })
      statements.set(part, part.extends ? text.replace(/'[^']+'/, `'${specifierOf(file, starred.get(part.extends))}'`) : text)
    }
  }
  return [
    ...(comment ? [comment] : []),
    ...printLists('import type', imports),
    ...statements.values(),
    ...Object.entries(lists).flatMap(([keyword, items]) => printLists(keyword, items)),
    'export {};\n',
  ].join('\n')
}

/**
 * Bundles declaration files that the compiler emitted: what is reachable from the exports of the entry points, in one file for each of these
 * and a few that they share. A declaration is in one file only, so that it is the same for all entry points, and keeps its name and its
 * comment. An interface that users extend is declared in the entry point that they name, because the compiler loses one of two extensions
 * that reach it in different ways. Returns the text of each file by its path without extension.
 */
export function bundleDeclarations(entryFiles) {
  const graph = createGraph()
  const entries = new Map(entryFiles.map((file) => [file.entry, exportsOf(file, graph)]))
  for (const [entry, { names }] of entries) for (const { declaration } of names) graph.mark(entry, declaration)
  const starred = new Map([...entries].flatMap(([entry, { stars }]) => stars.map((path) => [path, entry])))
  const files = new Map([...entries.keys()].map((entry) => [entry, []]))
  for (const declaration of graph.own()) {
    declaration.file = fileOf(declaration, starred)
    files.set(declaration.file, [...(files.get(declaration.file) ?? []), declaration])
  }
  for (const [file, declarations] of files) {
    const needed = [
      ...declarations.flatMap(({ mentions }) => [...mentions]),
      ...(entries.get(file)?.names ?? []).map(({ declaration }) => declaration),
    ]
    for (const other of needed) other.isShared ||= other.file !== file
  }
  const write = (file, declarations) => writeFile(file, declarations, { ...entries.get(file), starred, resolve: graph.resolve })
  return new Map([...files].map(([file, declarations]) => [file, write(file, declarations)]))
}
