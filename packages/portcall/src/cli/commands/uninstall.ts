import { type Command, defineCommand } from '../command.ts'
import { changeHosts, tellChanges } from '../hosts/apply.ts'
import { CHANGE } from '../hosts/change-flags.ts'

/** `portcall uninstall`: takes a server out of the configurations of other programs. */
export const uninstall: Command = defineCommand({
  name: 'uninstall',
  summary: 'Takes a server out of the configuration of other programs',
  takes: 'none',
  words: ['NAME'],
  details: ['As careful as install. A server that is not there is no error.'],
  flags: CHANGE,
  examples: ['portcall uninstall notes --to cursor --to vscode'],
  async run({ words: [name = ''], flags, io }) {
    const done = await changeHosts(flags, name, ({ editor, text, place }) => editor.remove(text, place))
    tellChanges(done, flags['dry-run'], io)
  },
})
