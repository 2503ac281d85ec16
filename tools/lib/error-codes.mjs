import { librarySources } from './entrypoints.mjs'
import { shown } from './paths.mjs'
import { parse, ts, visit } from './syntax.mjs'

const isCodeTable = (node) => ts.isVariableDeclaration(node) && /ErrorCodes?$/.test(node.name.getText())

/** Returns the value of a number or string literal. */
function literal(initializer) {
  if (!initializer) return undefined
  const text = initializer.getText().replace(/ as const$/, '')
  if (/^-?\d+$/.test(text)) return text
  return ts.isStringLiteralLike(initializer) ? initializer.text : undefined
}

function codesOf(path) {
  const file = parse(path)
  const found = []
  const add = (initializer) => {
    const code = literal(initializer)
    if (code !== undefined) found.push({ code, where: shown(path) })
  }
  visit(file, (node) => {
    if (ts.isPropertyDeclaration(node) && node.name.getText() === 'code') add(node.initializer)
    if (isCodeTable(node)) visit(node, (inner) => ts.isPropertyAssignment(inner) && add(inner.initializer))
  })
  return found
}

/** Returns the error codes of the library: the tables named `…ErrorCode` and the `code` of each error class. */
export function errorCodes() {
  const all = librarySources().flatMap(codesOf)
  return [...new Map(all.map((one) => [one.code, one])).values()]
}
