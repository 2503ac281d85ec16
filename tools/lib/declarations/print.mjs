/** Makes sure that a name means one thing in a file, and returns what each means. */
export function scopeOf(file, declarations) {
  const scope = new Map()
  for (const declaration of declarations) {
    const other = scope.get(declaration.name)
    if (other && other !== declaration)
      throw new Error(
        `rename one of two types named ${declaration.name}, both are in ${file}.d.ts: ${other.id}, ${declaration.id}`,
      )
    if (declaration.name !== undefined) scope.set(declaration.name, declaration)
  }
  return scope
}

/**
 * Prints a statement: with `export` if it is exported, with `globalThis.` before global names that mean something else in the new file, and
 * with indents of two spaces.
 */
export function printStatement(part, { scope, resolve, isExported }) {
  const isHidden = ({ name }) => scope.has(name) && !resolve(part.path, name)
  const added = part.identifiers.filter(isHidden).map(({ at }) => ({ at, text: 'globalThis.' }))
  if (isExported) added.push({ at: part.codeAt, text: 'export ' })
  added.sort((a, b) => b.at - a.at)
  const whole = added.reduce((edited, { at, text }) => edited.slice(0, at) + text + edited.slice(at), part.text)
  return whole.replace(/^(?: {4})+/gm, (indent) => ' '.repeat(indent.length / 2))
}

const renamed = (from, to) => (from === to ? to : `${from} as ${to}`)

/** Prints imports or exports from other files, one statement for each file: `items` have the file, the name there, and the name here. */
export function printLists(keyword, items) {
  const lists = new Map()
  for (const { from, name, as = name } of items) lists.set(from, [...(lists.get(from) ?? []), renamed(name, as)])
  const files = [...lists].sort(([a], [b]) => (a < b ? -1 : 1))
  return files.map(([from, names]) => `${keyword} { ${names.sort().join(', ')} }${from ? ` from '${from}'` : ''};`)
}
