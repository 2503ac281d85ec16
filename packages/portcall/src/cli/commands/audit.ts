import { createReadStream } from 'node:fs'
import { verifyAuditLog } from '../../entrypoints/middleware.ts'
import { CliError, usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'

/** `portcall audit` */
export const auditCommand: Command = defineCommand({
  name: 'audit',
  summary: 'Verify an audit log',
  serverUse: 'none',
  args: ['verify', '<file>'],
  details: [
    'Checks the hash chain of an audit log, to find records that were changed, removed, moved or added. Records that are missing at the end cannot be detected: to notice them, keep a copy of the last hash in another place.',
    'The exit code is 1 if the log was changed.',
  ],
  flags: {},
  examples: ['portcall audit verify audit.jsonl'],
  async run({ args: [action, file], io }) {
    if (action !== 'verify' || file === undefined)
      throw usageError('audit needs the action verify and a file', 'write portcall audit verify audit.jsonl')
    const verdict = await verifyAuditLog(readLines(file)).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new CliError('usage', `${file} cannot be read: ${reason}`, { cause: error })
    })
    const records = `${verdict.records} record${verdict.records === 1 ? '' : 's'}`
    if (io.json) io.value(verdict)
    else if (verdict.intact) io.data(`${file} is intact: ${records}`)
    else io.data(`${file} is not intact: line ${verdict.records + 1}: ${verdict.reason}. ${records} before it are intact`)
    return verdict.intact ? 'success' : 'failed'
  },
})

/** Reads the lines of a file, whatever its size. Only line feeds end a line: text may contain other separators. */
async function* readLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + String(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
