import { readModule } from './modules.mjs'

/**
 * Creates the graph of the declarations in emitted files. A declaration has the statements that declare its name, or augment another file, as
 * `parts`, or is imported from a package; it knows the entry points that it is reachable from, and once one is marked, what it mentions.
 */
export function createGraph() {
  const modules = new Map()
  const declarations = new Map()

  function moduleOf(path) {
    if (!modules.has(path)) modules.set(path, { ...readModule(path), order: modules.size })
    return modules.get(path)
  }

  function declare(id, declaration) {
    if (!declarations.has(id)) declarations.set(id, { id, entries: new Set(), mentions: new Set(), ...declaration })
    return declarations.get(id)
  }

  /** Returns what a name means in a file; undefined for global names. */
  function resolve(path, name) {
    const { order, statements, imports, exports } = moduleOf(path)
    if (statements.has(name)) return declare(`${path}#${name}`, { path, order, name, parts: statements.get(name) })
    const other = imports.get(name) ?? exports.get(name)
    if (other?.file) return resolve(other.file, other.name)
    return (
      other &&
      declare(`${other.package}#${other.name}#${name}`, { package: other.package, imported: other.name, name, parts: [] })
    )
  }

  function augmentationsOf({ path }) {
    if (path === undefined) return []
    const { order, augmentations } = moduleOf(path)
    return augmentations.map((part) => declare(`${path}@${part.position}`, { path, order, parts: [part] }))
  }

  /** Marks a declaration, and what it needs, as reachable from an entry point. */
  function mark(entry, declaration) {
    if (declaration.entries.has(entry)) return
    declaration.entries.add(entry)
    for (const { path, identifiers } of declaration.parts)
      for (const { name } of identifiers) declaration.mentions.add(resolve(path, name))
    declaration.mentions.delete(undefined)
    for (const needed of [...declaration.mentions, ...augmentationsOf(declaration)]) mark(entry, needed)
  }

  const byPosition = (a, b) => a.order - b.order || a.parts[0].position - b.parts[0].position
  return {
    moduleOf,
    resolve,
    mark,
    /** Returns the marked declarations of the files in their order. */
    own: () => [...declarations.values()].filter(({ path, entries }) => path !== undefined && entries.size > 0).sort(byPosition),
  }
}
