/** What a shell needs to ask the command for suggestions: the line up to the cursor goes there in `PORTCALL_COMPLETE`. */
export const SCRIPTS: { readonly [shell: string]: string } = {
  bash: `_portcall() {
  local line="\${COMP_LINE:0:COMP_POINT}" word="\${COMP_WORDS[COMP_CWORD]}" typed one
  typed="\${line##*[[:space:]]}"
  COMPREPLY=()
  while IFS= read -r one; do
    [[ -n "$one" ]] && COMPREPLY+=("\${one#"\${typed%"$word"}"}")
  done < <(PORTCALL_COMPLETE="$line" portcall 2>/dev/null)
  [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _portcall portcall`,
  zsh: `#compdef portcall
_portcall() {
  local -a found
  found=("\${(@f)$(PORTCALL_COMPLETE="$LBUFFER" portcall 2>/dev/null)}")
  if (( \${#found} )) && [[ -n "$found[1]" ]]; then compadd -S '' -a found; else _files; fi
}
compdef _portcall portcall`,
  fish: `complete -c portcall -a '(PORTCALL_COMPLETE=(commandline -cp) portcall 2>/dev/null)'`,
}
