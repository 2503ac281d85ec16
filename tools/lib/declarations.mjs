import { readText } from './paths.mjs'
import { ts } from './syntax.mjs'

const declared = new Map()

/** The statements of a source file as its `.d.ts` has them: without bodies, with comments. */
function statementsOf(path) {
  if (!declared.has(path)) {
    const { outputText } = ts.transpileDeclaration(readText(path), { fileName: path, compilerOptions: { stripInternal: true } })
    declared.set(path, ts.createSourceFile(path, outputText, ts.ScriptTarget.Latest, true).statements)
  }
  return declared.get(path)
}

const namesOf = (statement) =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map(({ name }) => name.getText())
    : [statement.name?.getText()]

/** The text of a comment as Markdown: without its stars, examples as code. */
const proseOf = (comment) =>
  comment
    .replace(/^\/\*\*\s?|\s*\*\/$/g, '')
    .replace(/^[ \t]*\* ?/gm, '')
    .trim()
    .replace(/\n*^@example\n([\s\S]*)$/m, '\n\n```ts\n$1\n```')
    .trim()

/** The doc comment right before a node, as it stands in the source. */
export const commentOf = (node) => ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1)?.getText() ?? ''

/** The declarations of a symbol: `path` of the file, `statements`, the `prose` of their comments, and their `code` without these. */
export function declarationOf({ target }) {
  const path = target.declarations[0].getSourceFile().fileName
  const statements = statementsOf(path).filter((statement) => namesOf(statement).includes(target.name))
  const codeOf = (statement) =>
    statement
      .getText()
      .replace(/^export (declare )?/, '')
      .replace(/^ +#private;\n/gm, '')
      .replace(/^(?: {4})+/gm, (indent) => indent.slice(indent.length / 2))
  return {
    path,
    statements,
    prose: statements
      .map((statement) => proseOf(commentOf(statement)))
      .filter(Boolean)
      .join('\n\n'),
    code: statements.map(codeOf).join('\n\n'),
  }
}
