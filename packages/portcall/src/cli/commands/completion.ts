import { type Command, defineCommand } from '../command.ts'
import { SCRIPTS } from '../completion/scripts.ts'
import { noSuch } from '../grammar/nearest.ts'

/** `portcall completion`: what a shell needs to complete the words of the command. */
export const completion: Command = defineCommand({
  name: 'completion',
  summary: 'Prints what a shell needs to complete commands, flags and the names of tools',
  takes: 'none',
  words: ['SHELL'],
  details: [`SHELL is one of ${Object.keys(SCRIPTS).join(', ')}.`],
  flags: {},
  examples: ['source <(portcall completion bash)', 'portcall completion fish > ~/.config/fish/completions/portcall.fish'],
  async run({ words: [shell = ''], io }) {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
    if (script === undefined) throw noSuch('shell', shell, Object.keys(SCRIPTS))
    io.data(script)
  },
})
