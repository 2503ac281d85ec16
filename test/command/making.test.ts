import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Serving, serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runNpm } from '../../tools/lib/run.mjs'
import { COMMAND, DEMO, ended, portcall, STDIO, said, start } from './support/portcall.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HERE = fileURLToPath(new URL('build/making/', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

let serving: Serving
const children: (() => void)[] = []
beforeAll(async () => {
  const { server } = await import('./fixtures/demo.mjs')
  serving = await serve(server, { port: 0, signals: false })
  await mkdir(HERE, { recursive: true })
})
afterAll(async () => {
  for (const kill of children) kill()
  await serving.close()
  await rm(HERE, { recursive: true, force: true })
})

describe('types', () => {
  /** What the compiler says about a use of the written types. */
  const complaints = async (use: string): Promise<string> => {
    await writeFile(
      join(HERE, 'use.ts'),
      `import { connectDemo } from './demo.js'\nconst demo = await connectDemo('http://x')\n${use}\n`,
    )
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ]
    return spawnSync(process.execPath, [TSC, ...flags, 'use.ts'], { cwd: HERE, encoding: 'utf8' }).stdout
  }

  test('of a server that runs: what fits compiles, what does not does not', { timeout: 120_000 }, async () => {
    expect(await portcall(['types', serving.url, '--out', join(HERE, 'demo.ts')])).toMatchObject({ code: 0, out: '' })
    expect(await complaints("await demo.callTool('greet', { name: 'Ada', times: 2, tags: ['a'] })")).toBe('')
    expect(await complaints("await demo.callTool('greet', { nme: 'Ada' })")).toContain('nme')
    expect(await complaints("await demo.callTool('gret', { name: 'Ada' })")).toContain('gret')
  })
})

describe('new', () => {
  let tarball: string
  beforeAll(async () => {
    const packed = runNpm(['pack', '--json', '--silent', '--pack-destination', HERE], {
      cwd: join(ROOT, 'packages', 'portcall'),
      quiet: true,
    })
    tarball = join(HERE, (await readdir(HERE)).find((name) => name.endsWith('.tgz')) ?? packed.output)
  })

  test.each([['ts'], ['js']])('a server (%s) runs at once, and its test passes', { timeout: 180_000 }, async (template) => {
    const folder = join(await mkdtemp(join(tmpdir(), 'portcall-new-')), 'my notes')
    expect(await portcall(['new', folder, '--template', template])).toMatchObject({ code: 0, out: '' })
    expect(await portcall(['new', folder])).toMatchObject({ code: 2, err: expect.stringContaining('is not empty') })
    const npm = (...args: string[]): { ok: boolean; output: string } => runNpm(args, { cwd: folder, quiet: true })
    const installed = npm('install', '--prefer-offline', '--no-audit', '--no-fund', tarball)
    expect(installed).toMatchObject({ ok: true })
    expect(npm('test').output).toMatch(/pass 1\n/)
    const program = ['run', '--silent', 'stdio', '--prefix', folder]
    const called = await portcall(['call', 'greet', 'name=Ada', '--env', 'PATH', '--', 'npm', ...program])
    expect(called).toMatchObject({ code: 0, out: 'Hello, Ada!\n' })
  })

  test('a client', { timeout: 60_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portcall-new-'))
    expect(await portcall(['new', folder, '--template', 'client'])).toMatchObject({ code: 0 })
    runNpm(['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder, quiet: true })
    const { stdout } = spawnSync(process.execPath, ['client.js', (await startHttp()).url], { cwd: folder, encoding: 'utf8' })
    expect(stdout).toContain('greet: Greets somebody')
  })

  test('what cannot be made', async () => {
    expect(await portcall(['new', join(HERE, 'x'), '--template', 'tss'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean ts?'),
    })
  })
})

/** A server in a process of its own. */
async function startHttp(): Promise<{ url: string }> {
  const child = start(['serve', DEMO, '--port', '0'])
  void ended(child)
  children.push(() => child.kill())
  const [, url = ''] = await said(child.stdout, /Listening at (\S+)/)
  return { url }
}

describe('completion', () => {
  /** What a line could go on with. */
  const goesOn = async (line: string): Promise<string[]> =>
    (await portcall([], { env: { PORTCALL_COMPLETE: line } })).out.trim().split('\n')

  test('commands, flags, hosts', async () => {
    expect(await goesOn('portcall l')).toEqual(['list', 'listen', 'login', 'logout'])
    expect(await goesOn('portcall call --un')).toEqual(['--unchecked'])
    expect(await goesOn('portcall install --to cl')).toEqual(['claude-desktop', 'claude-code'])
    expect(await goesOn('portcall nothing ')).toEqual([''])
  })

  test('the names of tools, arguments, prompts and resources', async () => {
    expect(await goesOn(`portcall call ${serving.url} `)).toContain('greet')
    expect(await goesOn(`portcall call ${serving.url} greet na`)).toEqual(['name='])
    expect(await goesOn(`portcall call '${DEMO}' gr`)).toEqual(['greet'])
    expect(await goesOn(`portcall prompt ${serving.url} re`)).toEqual(['review'])
    expect(await goesOn(`portcall read ${serving.url} note:`)).toEqual(['note://one'])
    expect(await goesOn('portcall call http://127.0.0.1:9/mcp g')).toEqual([''])
    expect(await goesOn(`portcall call -- node ${STDIO} `)).toEqual([''])
  })

  test('in bash, also behind a colon', async () => {
    const { out: script } = await portcall(['completion', 'bash'])
    const line = `portcall read ${(await startHttp()).url} note:`
    const code = `portcall() { ${JSON.stringify(process.execPath)} ${JSON.stringify(COMMAND)} "$@"; }
${script}
COMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(portcall read http : //x note :); COMP_CWORD=6; _portcall
printf '%s\\n' "\${COMPREPLY[@]}"
COMP_LINE='portcall lis'; COMP_POINT=\${#COMP_LINE}; COMP_WORDS=(portcall lis); COMP_CWORD=1; _portcall
printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = spawnSync('bash', ['-c', code], { encoding: 'utf8' })
    expect(stdout.split('\n')).toEqual([expect.stringMatching(/^:?\/\/one$/), 'list', 'listen', ''])
  })

  test.each(['zsh', 'fish'])('%s: the script parses, where the shell is', async (shell) => {
    const { out, code } = await portcall(['completion', shell])
    expect(code).toBe(0)
    const { error, status } = spawnSync(shell, ['-n', '-c', out])
    if (!error) expect(status).toBe(0)
  })
})
