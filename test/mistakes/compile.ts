import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const FOLDER = dirname(fileURLToPath(import.meta.url))
const CONFIG = join(FOLDER, '..', 'tsconfig.json')

/** The first error of a snippet. */
export interface CompileError {
  /** The text of the error, with its explanations on further lines. */
  readonly message: string
  /** The code that the error points at. */
  readonly code: string
}

/** Compiles snippets, each as a module of its own, and returns the first error of each. */
export function compileSnippets(snippets: readonly string[]): readonly (CompileError | undefined)[] {
  const sources = new Map(snippets.map((snippet, index) => [join(FOLDER, `snippet-${index}.ts`), snippet]))
  const { options } = ts.parseJsonConfigFileContent(ts.readConfigFile(CONFIG, ts.sys.readFile).config, ts.sys, dirname(CONFIG))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (file) => sources.has(file) || fileExists(file)
  host.readFile = (file) => sources.get(file) ?? readFile(file)
  host.getSourceFile = (file, languageVersion, ...rest) => {
    const source = sources.get(file)
    return source === undefined
      ? getSourceFile(file, languageVersion, ...rest)
      : ts.createSourceFile(file, source, languageVersion)
  }
  const program = ts.createProgram([...sources.keys()], options, host)
  return [...sources.keys()].map((file) => firstError(program, program.getSourceFile(file)))
}

function firstError(program: ts.Program, file: ts.SourceFile | undefined): CompileError | undefined {
  const [error] = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
  if (!error) return undefined
  const { start = 0, length = 0 } = error
  const message = ts.flattenDiagnosticMessageText(error.messageText, '\n')
  return { message, code: file?.text.slice(start, start + length) ?? '' }
}
