import { createReadStream } from 'node:fs'
import { type AuditVerdict, createStoredAuditLog, verifyAuditLog } from 'portcall/middleware'
import { pluralize } from '../../../util/src/pluralize.ts'
import { CliError, unreadable, usageError } from '../cli-error.ts'
import { type Command, defineCommand } from '../command.ts'
import { isStoresUrl, openConfiguredStores } from '../gateway/stores.ts'

/** `portcall audit` */
export const auditCommand: Command = defineCommand({
  name: 'audit',
  summary: 'Verify an audit log',
  serverUse: 'none',
  args: ['verify', '<file-or-store>'],
  details: [
    'Checks the hash chain of an audit log, to find records that were changed, removed, moved or added. The log is a file, or in a store: sqlite:FILE, redis://… or postgres://… . If the log is not intact, the exit code is 1.',
    'Records that are missing at the end leave the chain intact. To notice them, keep the hash that is printed in another place, and pass it as --hash=HASH the next time (with =, since a hash may begin with a hyphen).',
  ],
  flags: {
    name: { type: 'string', value: 'NAME', description: 'The name of the log in a store (default: audit)' },
    hash: { type: 'string', value: 'HASH', description: 'The hash of a record that the log must have: --hash=HASH' },
  },
  examples: ['portcall audit verify audit.jsonl', 'portcall audit verify redis://127.0.0.1:6379 --name calls'],
  async run({ args: [action, target], flags: { name, hash }, io }) {
    if (action !== 'verify' || target === undefined)
      throw usageError('audit needs the action verify and a log', 'write portcall audit verify audit.jsonl')
    const expected = hash === undefined ? {} : { hash }
    const verify = (lines: AsyncIterable<string>): Promise<AuditVerdict> => verifyAuditLog(lines, expected)
    const verdict = await (isStoresUrl(target) ? withStore(target, name, verify) : verify(readLines(target))).catch(
      (error: unknown) => {
        if (error instanceof CliError) throw error
        throw unreadable(target, error)
      },
    )
    if (io.json) io.value(verdict)
    else io.line(`${target} ${describe(verdict)}`)
    return verdict.intact ? 'success' : 'failed'
  },
})

function describe(verdict: AuditVerdict): string {
  const records = pluralize(verdict.records, 'record')
  if (!verdict.intact) return `is not intact: line ${verdict.records + 1}: ${verdict.reason}. ${records} before it are intact`
  return `is intact: ${records}${verdict.hash && `, hash ${verdict.hash}`}`
}

async function withStore(
  url: string,
  name: string | undefined,
  verify: (lines: AsyncIterable<string>) => Promise<AuditVerdict>,
): Promise<AuditVerdict> {
  const stores = await openConfiguredStores(url, process.cwd())
  try {
    return await verify(createStoredAuditLog(stores.store, name === undefined ? {} : { name }).lines())
  } finally {
    await stores.close()
  }
}

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
