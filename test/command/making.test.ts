import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'portcall/client'
import { type ListeningServer, serve } from 'portcall/node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { runNpm } from '../../tools/lib/run.mjs'
import { portcall, serveModule, untilOutput } from './support/portcall.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const HERE = fileURLToPath(new URL('build/making/', import.meta.url))
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

let listening: ListeningServer
beforeAll(async () => {
  const { server } = await import('./fixtures/demo.mjs')
  listening = await serve(server, { port: 0, handleProcessSignals: false })
  await mkdir(HERE, { recursive: true })
})
afterAll(async () => {
  await listening.close()
  await rm(HERE, { recursive: true, force: true })
})

describe('types', () => {
  /** Returns the compiler errors of code that uses the generated types. */
  const compileErrors = async (code: string): Promise<string> => {
    await writeFile(
      join(HERE, 'use.ts'),
      `import { connectDemo } from './demo.js'\nconst demo = await connectDemo('http://x')\n${code}\n`,
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

  test('accept valid calls and reject invalid ones', { timeout: 120_000 }, async () => {
    expect(await portcall(['types', listening.url, '--out', join(HERE, 'demo.ts')])).toMatchObject({ code: 0, out: '' })
    expect(await compileErrors("await demo.callTool('greet', { name: 'Ada', times: 2, tags: ['a'] })")).toBe('')
    expect(await compileErrors("await demo.callTool('greet', { nme: 'Ada' })")).toContain('nme')
    expect(await compileErrors("await demo.callTool('gret', { name: 'Ada' })")).toContain('gret')
  })
})

describe('generate', () => {
  test('writes a function for each tool and prompt', async () => {
    const { code, out } = await portcall(['generate', listening.url])
    expect(code).toBe(0)
    expect(out).toContain('export function createDemo(client: Client<Tools>) {')
    expect(out).toContain(
      'greet: (args: Tools["greet"][\'input\'], options?: CallOptions) => client.callTool("greet", args, options),',
    )
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

  /** Runs the script `dev` of a server in TypeScript, and changes its code. */
  const expectReload = async (dir: string): Promise<void> => {
    const path = join(dir, 'package.json')
    await writeFile(path, (await readFile(path, 'utf8')).replace('server.js --watch', 'server.js --watch --port 0'))
    // A process group of its own, so that everything it has started can be ended.
    const child = spawn('npm', ['run', 'dev'], { cwd: dir, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    onTestFinished(() => void process.kill(-child.pid!, 'SIGKILL'))
    const [, url = ''] = await untilOutput(child.stdout, /^(?=.*Watching for file changes).*Listening at (\S+)/s)
    const client = await connect(url)
    onTestFinished(() => client.close())
    const greets = async (text: string): Promise<void> =>
      expect(await client.callTool('greet', { name: 'Ada' })).toMatchObject({ content: [{ text }] })
    await greets('Hello, Ada!')
    const source = join(dir, 'src', 'server.ts')
    await writeFile(source, (await readFile(source, 'utf8')).replace('Hello', 'Welcome'))
    await eventually(() => greets('Welcome, Ada!'))
  }

  test.each([['ts'], ['js']])('a server (%s) runs, and its test passes', { timeout: 180_000 }, async (template) => {
    const dir = join(await mkdtemp(join(tmpdir(), 'portcall-new-')), 'my notes')
    expect(await portcall(['new', dir, '--template', template])).toMatchObject({ code: 0, out: '' })
    expect(await portcall(['new', dir])).toMatchObject({ code: 2, err: expect.stringContaining('is not empty') })
    const npm = (...args: string[]): { ok: boolean; output: string } => runNpm(args, { cwd: dir, quiet: true })
    const installed = npm('install', '--prefer-offline', '--no-audit', '--no-fund', tarball)
    expect(installed).toMatchObject({ ok: true })
    const { scripts } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))
    // Shells of all systems understand a list of commands and double quotes, but not `&` alike.
    for (const script of Object.values<string>(scripts)) expect(script).not.toMatch(/(?<!&)&(?!&)|[';|()$]/)
    expect(npm('test').output).toMatch(/pass 1\n/)
    if (template === 'ts') return expectReload(dir)
    const program = ['run', '--silent', 'stdio', '--prefix', dir]
    const called = await portcall(['call', 'greet', 'name=Ada', '--env', 'PATH', '--', 'npm', ...program])
    expect(called).toMatchObject({ code: 0, out: 'Hello, Ada!\n' })
  })

  test('a server with a view (app) runs, its test passes, and hosts show the view', { timeout: 180_000 }, async () => {
    const dir = join(await mkdtemp(join(tmpdir(), 'portcall-new-')), 'dice')
    expect(await portcall(['new', dir, '--template', 'app'])).toMatchObject({ code: 0, out: '' })
    const npm = (...args: string[]): { ok: boolean; output: string } => runNpm(args, { cwd: dir, quiet: true })
    expect(npm('install', '--prefer-offline', '--no-audit', '--no-fund', tarball)).toMatchObject({ ok: true })
    expect(npm('test').output).toMatch(/pass 1\n/)
    const { out } = await portcall(['check', '--json', '--env', 'PATH', '--', 'npm', 'run', '--silent', 'stdio', '--prefix', dir])
    const { findings } = JSON.parse(out) as { findings: { rule: string }[] }
    expect(findings.filter(({ rule }) => rule.startsWith('view'))).toEqual([])
    const program = [
      'read',
      'ui://dice/roll-view.html',
      '--env',
      'PATH',
      '--',
      'npm',
      'run',
      '--silent',
      'stdio',
      '--prefix',
      dir,
    ]
    expect(await portcall(program)).toMatchObject({ code: 0, out: expect.stringContaining('Roll again') })
  })

  test('a client', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'portcall-new-'))
    expect(await portcall(['new', dir, '--template', 'client'])).toMatchObject({ code: 0 })
    runNpm(['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: dir, quiet: true })
    const { stdout } = spawnSync(process.execPath, ['client.js', await serveModule()], { cwd: dir, encoding: 'utf8' })
    expect(stdout).toContain('greet: Greets a person')
  })

  test('an unknown template', async () => {
    expect(await portcall(['new', join(HERE, 'x'), '--template', 'tss'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean ts?'),
    })
  })
})
