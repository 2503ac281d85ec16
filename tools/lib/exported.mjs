import { join } from 'node:path'
import { builtDoors } from './doors.mjs'
import { PACKAGE } from './paths.mjs'
import { ts } from './syntax.mjs'

/** What the doors export: for each `{ name, entry, exports }`, where an export has its `name`, the `target` that it stands for, and `isValue`. */
export function openDoors() {
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
  const open = (symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return { name: symbol.name, target, isValue: (target.flags & ts.SymbolFlags.Value) !== 0 }
  }
  return doors.map(({ name, entry, source }) => {
    const symbol = checker.getSymbolAtLocation(program.getSourceFile(source))
    return { name, entry, exports: symbol ? checker.getExportsOfModule(symbol).map(open) : [] }
  })
}

/** `type Name` for what is erased, `Name` for what is there at run time. */
const label = ({ name, isValue }) => (isValue ? name : `type ${name}`)

/** Door → the names that it exports, sorted. */
export const exportedNames = () => Object.fromEntries(openDoors().map(({ name, exports }) => [name, exports.map(label).sort()]))
