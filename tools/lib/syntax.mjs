import ts from 'typescript'
import { readText } from './paths.mjs'

export { ts }

/** Parses a source file. */
export const parse = (path) => ts.createSourceFile(path, readText(path), ts.ScriptTarget.Latest, true)

/** Visits a node and all its descendants. */
export function visit(node, onNode) {
  onNode(node)
  node.forEachChild((child) => visit(child, onNode))
}

/** Returns the line of a position, counted from 1. */
export const lineOf = (file, position) => file.getLineAndCharacterOfPosition(position).line + 1
