import { shown } from './paths.mjs'
import { lineOf, ts, visit } from './syntax.mjs'

const nameOf = (node) => node.name?.getText() ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name.getText() : 'function')

/** The functions of a file that have a body: where, how many lines, how many parameters (a `this` type does not count). */
export function functionsOf(file) {
  const found = []
  visit(file, (node) => {
    if (!ts.isFunctionLike(node) || !node.body) return
    const first = lineOf(file, node.getStart())
    found.push({
      where: `${shown(file.fileName)}:${first} ${nameOf(node)}`,
      lines: lineOf(file, node.getEnd()) - first + 1,
      parameters: node.parameters.filter(({ name }) => name.getText() !== 'this').length,
    })
  })
  return found
}

/** The lines of a file that lie in the block of a function. */
function linesInFunctions(file) {
  const inside = new Set()
  visit(file, (node) => {
    if (!ts.isFunctionLike(node) || !node.body || !ts.isBlock(node.body)) return
    for (let line = lineOf(file, node.body.getStart()) + 1; line < lineOf(file, node.body.getEnd()); line += 1) inside.add(line)
  })
  return inside
}

/** Comment lines (doc comments of inner members left out) and code lines inside the functions of a file. */
export function commentLines(file) {
  const inside = linesInFunctions(file)
  const lines = file.text.split('\n').filter((_, index) => inside.has(index + 1))
  const comments = lines.filter((line) => /^\s*\/\//.test(line)).length
  return { comments, code: lines.filter((line) => line.trim() !== '').length - comments }
}
