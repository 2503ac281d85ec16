import { dirname, join } from 'node:path'
import { parse, ts, visit } from '../syntax.mjs'

const MODULE_COMMENT = /^\/\*\*[^*]*(?:\*(?!\/)[^*]*)*@module\s*\*\//

const isTypeOnly = (clause, element) => clause.isTypeOnly || Boolean(element.isTypeOnly)

/** Returns the file that a relative specifier names; undefined for packages. */
const fileOf = (path, { text }) => (text.startsWith('.') ? join(dirname(path), text.replace(/\.[tj]s$/, '.d.ts')) : undefined)

function namesOf(statement) {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.text)
  return [statement.name.text]
}

/** Returns the modifier `export` of a statement. */
const exportOf = (statement) => statement.modifiers?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)

/** Reports whether an identifier only names a member, a parameter or a part of a qualified name. */
function isMemberName(node) {
  const { parent } = node
  if (ts.isQualifiedName(parent)) return parent.right === node
  if (ts.isBindingElement(parent) || ts.isImportTypeNode(parent)) return true
  return parent.name === node && !ts.isVariableDeclaration(parent) && !ts.isStatement(parent)
}

/** Returns the identifiers of a statement that may refer to something outside of it, and those that it declares. */
function identifiersOf(statement) {
  const found = []
  const parameters = new Set()
  visit(statement, (node) => {
    if (ts.isTypeParameterDeclaration(node) || ts.isParameter(node)) parameters.add(node.name.text)
    if (ts.isIdentifier(node) && !isMemberName(node)) found.push(node)
  })
  return found.filter(({ text }) => !parameters.has(text))
}

/**
 * Cuts a statement out of its file: its text with the last doc comment and without `export`, where its code begins, and where its identifiers
 * are.
 */
function readStatement(path, statement) {
  const { text } = statement.getSourceFile()
  const start = statement.jsDoc?.at(-1)?.getStart() ?? statement.getStart()
  const code = statement.getStart()
  const bare = exportOf(statement) ? code + 'export '.length : code
  const at = (node) => node.getStart() - start - (bare - code)
  return {
    path,
    position: statement.pos,
    text: text.slice(start, code) + text.slice(bare, statement.end),
    codeAt: code - start,
    isType: ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement),
    identifiers: identifiersOf(statement).map((node) => ({ name: node.text, at: at(node) })),
  }
}

function readImport(path, statement, imports) {
  const { importClause, moduleSpecifier } = statement
  if (!importClause?.namedBindings?.elements)
    throw new Error(`${path}: only imports by name can be bundled: ${statement.getText()}`)
  for (const element of importClause.namedBindings.elements) {
    const name = (element.propertyName ?? element.name).text
    const file = fileOf(path, moduleSpecifier)
    imports.set(element.name.text, { file, package: moduleSpecifier.text, name })
  }
}

function readExport(path, statement, { exports, stars }) {
  const { exportClause, moduleSpecifier } = statement
  const file = moduleSpecifier && fileOf(path, moduleSpecifier)
  if (!exportClause) return stars.push(file)
  for (const element of exportClause.elements) {
    const name = (element.propertyName ?? element.name).text
    exports.set(element.name.text, { file: file ?? path, name, typeOnly: isTypeOnly(statement, element) })
  }
}

/**
 * Reads a declaration file that the compiler emitted: what it imports and exports by name, its statements by the names they declare, and the
 * interfaces of other files that it extends.
 */
export function readModule(path) {
  const source = parse(path)
  const module = { path, imports: new Map(), exports: new Map(), stars: [], statements: new Map(), augmentations: [] }
  module.comment = MODULE_COMMENT.exec(source.text)?.[0] ?? ''
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) readImport(path, statement, module.imports)
    else if (ts.isExportDeclaration(statement)) readExport(path, statement, module)
    else if (ts.isModuleDeclaration(statement) && ts.isStringLiteral(statement.name)) {
      const part = readStatement(path, statement)
      module.augmentations.push({ ...part, extends: fileOf(path, statement.name) })
    } else {
      const part = readStatement(path, statement)
      for (const name of namesOf(statement)) {
        module.statements.set(name, [...(module.statements.get(name) ?? []), part])
        if (exportOf(statement)) module.exports.set(name, { file: path, name, typeOnly: false })
      }
    }
  }
  return module
}
