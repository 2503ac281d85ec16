import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { findProgram } from '../support/services/programs.mjs'
import { COMMAND, DEMO, portcall, STDIO, serveModule } from './support/portcall.ts'

/** A directory with the command `portcall` and the completion scripts. */
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'portcall-completion-'))
  await writeFile(join(dir, 'portcall'), `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`)
  await chmod(join(dir, 'portcall'), 0o755)
  for (const shell of ['bash', 'zsh', 'fish'])
    await writeFile(join(dir, `completion.${shell}`), (await portcall(['completion', shell])).out)
})

/** Returns the suggestions for a line. */
const suggest = async (line: string): Promise<string[]> =>
  (await portcall([], { env: { PORTCALL_COMPLETE: line } })).out.trim().split('\n')

/** Runs a shell. Returns its output. */
function shell(program: string, ...args: string[]): string {
  const env = { ...process.env, PATH: `${dir}${delimiter}${process.env.PATH}` }
  const { stdout, error } = spawnSync(program, args, { cwd: dir, env, encoding: 'utf8', timeout: 60_000 })
  if (error) throw error
  return stdout
}

test('commands, options, hosts', async () => {
  expect(await suggest('portcall l')).toEqual(['list', 'listen', 'login', 'logout'])
  expect(await suggest('portcall call --un')).toEqual(['--unchecked'])
  expect(await suggest('portcall install --to cl')).toEqual(['claude-desktop', 'claude-code'])
  expect(await suggest('portcall nothing ')).toEqual([''])
})

test('names of tools, arguments, prompts and resources', async () => {
  const url = await serveModule()
  expect(await suggest(`portcall call ${url} `)).toContain('greet')
  expect(await suggest(`portcall call ${url} greet na`)).toEqual(['name='])
  expect(await suggest(`portcall call '${DEMO}' gr`)).toEqual(['greet'])
  expect(await suggest(`portcall prompt ${url} re`)).toEqual(['review'])
  expect(await suggest(`portcall read ${url} note:`)).toEqual(['note://one'])
  expect(await suggest('portcall call http://127.0.0.1:9/mcp g')).toEqual([''])
  expect(await suggest(`portcall call -- node ${STDIO} `)).toEqual([''])
})

test('in bash, also after a colon', async () => {
  const line = `portcall read ${await serveModule()} note:`
  const output = shell(
    'bash',
    '-c',
    `. ./completion.bash
COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(portcall read http : //x note :); COMP_CWORD=6; _portcall
printf '%s\\n' "\${COMPREPLY[@]}"
COMP_LINE='portcall lis'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(portcall lis); COMP_CWORD=1; _portcall
printf '%s\\n' "\${COMPREPLY[@]}"`,
  )
  expect(output.split('\n')).toEqual([expect.stringMatching(/^:?\/\/one$/), 'list', 'listen', ''])
})

const fish = findProgram('fish')
test.skipIf(!fish)('in fish', () => {
  const complete = (line: string): string[] =>
    shell(fish as string, '--no-config', '-c', `source completion.fish; complete -C '${line}'`)
      .trim()
      .split('\n')
  expect(complete('portcall lis')).toEqual(['list', 'listen'])
  expect(complete(`portcall call ${DEMO} gr`)).toEqual(['greet'])
  expect(complete(`portcall call ${DEMO} greet na`)).toEqual(['name='])
})

const zsh = findProgram('zsh')
test.skipIf(!zsh)('in zsh, at its prompt', () => {
  const script = `zmodload zsh/zpty
zpty shell 'PS1="> " zsh -f -i'
zpty -w shell 'autoload -U compinit; compinit -u -D; source completion.zsh; echo rea""dy'
zpty -r shell output '*ready*'
zpty -w -n shell $'portcall lis\\t\\t'
zpty -r shell output '*list*listen*' && print two
zpty -w -n shell $'\\Cuportcall call ${DEMO} gr\\t'
zpty -r shell output '*greet*' && print one
zpty -d shell`
  expect(shell(zsh as string, '-f', '-c', script)).toBe('two\none\n')
})
