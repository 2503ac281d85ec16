import { join } from 'node:path'
import { builtDoors } from './doors.mjs'
import { PACKAGE } from './paths.mjs'
import { ts } from './syntax.mjs'

/** `type Name` for what is erased, `Name` for what is there at run time. */
function label(checker, symbol) {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  return target.flags & ts.SymbolFlags.Value ? symbol.name : `type ${symbol.name}`
}

/** Door → the names that it exports, sorted. */
export function exportedNames() {
  const project = join(PACKAGE, 'tsconfig.node.json')
  const { options } = ts.getParsedCommandLineOfConfigFile(
    project,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )
  const doors = builtDoors()
  const program = ts.createProgram(
    doors.map(({ source }) => source),
    options,
  )
  const checker = program.getTypeChecker()
  const namesOf = (source) => {
    const symbol = checker.getSymbolAtLocation(program.getSourceFile(source))
    return symbol
      ? checker
          .getExportsOfModule(symbol)
          .map((one) => label(checker, one))
          .sort()
      : []
  }
  return Object.fromEntries(doors.map(({ name, source }) => [name, namesOf(source)]))
}
