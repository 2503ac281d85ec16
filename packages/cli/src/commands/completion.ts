import { type Command, defineCommand } from '../command.ts'
import { unknownName } from '../command-line/did-you-mean.ts'

/** Scripts that pass the line up to the cursor to the command, in `PORTCALL_COMPLETE`, and read its suggestions. */
const SCRIPTS: { readonly [shell: string]: string } = {
  bash: `_portcall() {
  local line="\${COMP_LINE:0:COMP_POINT}" word="\${COMP_WORDS[COMP_CWORD]}" typed suggestion
  typed="\${line##*[[:space:]]}"
  COMPREPLY=()
  while IFS= read -r suggestion; do
    [[ -n "$suggestion" ]] && COMPREPLY+=("\${suggestion#"\${typed%"$word"}"}")
  done < <(PORTCALL_COMPLETE="$line" portcall 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _portcall portcall`,
  zsh: `#compdef portcall
_portcall() {
  local -a suggestions
  suggestions=("\${(@f)$(PORTCALL_COMPLETE="$LBUFFER" portcall 2>/dev/null)}")
  if (( \${#suggestions} )) && [[ -n "$suggestions[1]" ]]; then compadd -S '' -a suggestions; else _files; fi
}
compdef _portcall portcall`,
  fish: `complete -c portcall -a '(PORTCALL_COMPLETE=(commandline -cp) portcall 2>/dev/null)'`,
}

/** `portcall completion` */
export const completionCommand: Command = defineCommand({
  name: 'completion',
  summary: 'Print a shell completion script',
  serverUse: 'none',
  args: ['<shell>'],
  details: ['The script completes commands, options, and the names of tools, prompts and resources of a server.'],
  choices: [{ title: 'Shells', values: { bash: 'Bash', zsh: 'Zsh', fish: 'fish' } }],
  flags: {},
  examples: ['source <(portcall completion bash)', 'portcall completion fish > ~/.config/fish/completions/portcall.fish'],
  async run({ args: [shell = ''], io }) {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
    if (script === undefined) throw unknownName('shell', shell, Object.keys(SCRIPTS))
    io.data(script)
  },
})
