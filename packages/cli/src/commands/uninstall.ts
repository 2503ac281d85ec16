import { type Command, defineCommand } from '../command.ts'
import { CHANGE_FLAGS, changeConfigs, HOST_CHOICES, printChanges } from '../hosts/change-configs.ts'

/** `portcall uninstall` */
export const uninstallCommand: Command = defineCommand({
  name: 'uninstall',
  summary: 'Remove a server from the configuration of MCP hosts',
  serverUse: 'none',
  args: ['<name>'],
  details: ['Changes only the entry of the server, as install does. It is not an error if there is no such server.'],
  choices: [HOST_CHOICES],
  flags: CHANGE_FLAGS,
  examples: ['portcall uninstall notes --to cursor --to vscode'],
  async run({ args: [name = ''], flags, io }) {
    const changes = await changeConfigs(flags, name, ({ editor, text, location }) => editor.remove(text, location))
    printChanges(changes, { isDryRun: flags['dry-run'], unchanged: `there is no server ${name} in` }, io)
  },
})
