import { COMMANDS } from './commands.ts'
import { EXIT, MEANINGS } from './exit.ts'
import { COMMON, CONNECTION } from './grammar/flags.ts'
import { usage } from './help.ts'

/** Everything that the command understands, as JSON: for programs that use it, and for its documentation. */
export async function catalogue(): Promise<string> {
  const commands = await Promise.all(
    Object.values(COMMANDS).map(async ({ load }) => {
      const { run: _run, ...command } = await load()
      return { ...command, usage: usage({ ...command, run: _run }) }
    }),
  )
  return JSON.stringify({ commands, flags: { common: COMMON, connection: CONNECTION }, exit: EXIT, meanings: MEANINGS })
}
