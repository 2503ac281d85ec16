import { readFile } from 'node:fs/promises'
import type { DocumentProblem } from 'portcall/cards'
import type { CardReport } from 'portcall/diagnostics'
import { errorMessage } from '../../../util/src/errors.ts'
import { unreadable, usageError } from '../cli-error.ts'
import type { Io } from '../io.ts'

/** The `server.json` that was read from a file. */
export interface ServerJsonFile {
  readonly file: string
  readonly document: unknown
}

/** A `server.json`, and what is wrong with it. */
export interface ServerJsonReport extends ServerJsonFile {
  readonly problems: readonly DocumentProblem[]
}

const INDENT = '  '

/** Reads the file that the flags name. @throws CliError */
export async function readServerJson(flags: {
  readonly card: boolean
  readonly 'server-json': string | undefined
}): Promise<ServerJsonFile | undefined> {
  const file = flags['server-json']
  if (file === undefined) return undefined
  if (!flags.card) throw usageError('--server-json compares a file with the card', 'add --card')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw unreadable(file, error)
  })
  try {
    return { file, document: JSON.parse(text) as unknown }
  } catch (error) {
    throw usageError(`${file} is not valid JSON: ${errorMessage(error)}`)
  }
}

/** Returns what is wrong with the document, and how it differs from the card, if there is one. */
export async function compareWithCard(
  { document }: ServerJsonFile,
  report: CardReport | undefined,
): Promise<readonly DocumentProblem[]> {
  const { compareServerJson, validateServerJson } = await import('portcall/cards')
  return report?.card ? compareServerJson(document, report.card) : validateServerJson(document)
}

export function printServerJson({ file, problems }: ServerJsonReport, io: Io): void {
  io.print([])
  io.print([{ tone: 'strong', text: 'server.json' }, ` ${file}`])
  for (const { path, message } of problems)
    io.print([INDENT, { tone: 'bad', text: 'error:' }, ` ${path || 'the document'} ${message}`], INDENT.length)
  if (problems.length === 0) io.print([INDENT, 'The document agrees with the card.'])
}
