/** Follows docs/deployment/docker.md without Docker: lints the Dockerfile, runs its commands in empty folders, and checks the health. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { validate } from 'dockerfile-utils'
import { afterAll, expect, inject, test } from 'vitest'
import { eventually } from '../../packages/portcall/test-kit/eventually.ts'
import { freePort } from '../support/free-port.mjs'
import { stepsOf } from './support/page.ts'
import { openShell } from './support/shell.ts'

const PAGE = 'docs/deployment/docker.md'
const home = mkdtempSync(join(tmpdir(), 'portcall-docker-'))
const shell = openShell(home)
afterAll(() => rmSync(home, { recursive: true, force: true }))

interface Instruction {
  readonly name: string
  readonly args: string
}

/** Splits a Dockerfile into its stages, each a list of instructions. */
function stagesOf(text: string): Instruction[][] {
  const stages: Instruction[][] = []
  for (const line of text
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean)) {
    const [name = '', ...rest] = line.split(' ')
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, args: rest.join(' ') })
  }
  return stages
}

/** Builds a stage in a folder: files are copied, and commands run there. */
async function build(stage: readonly Instruction[], folder: string, context: string): Promise<void> {
  mkdirSync(folder)
  for (const { name, args } of stage) {
    if (name === 'RUN') await openShell(folder).run(args)
    if (name !== 'COPY') continue
    const isStage = args.startsWith('--from=')
    const paths = args.split(' ').filter((arg) => !arg.startsWith('--'))
    const to = paths.pop() ?? ''
    for (const path of paths) {
      const from = isStage ? join(home, 'build', path.replace('/app/', '')) : join(context, path)
      cpSync(from, to.endsWith('/') ? join(folder, to, path.split('/').at(-1) ?? '') : join(folder, to), { recursive: true })
    }
  }
}

const argumentsOf = (stage: readonly Instruction[], name: string): string =>
  stage.find((instruction) => instruction.name === name)?.args ?? ''
const commandOf = (args: string): string[] => JSON.parse(args.slice(args.indexOf('[')))

test('the Dockerfile has no mistakes', () => {
  const dockerfile = stepsOf(PAGE).find((step) => step.kind === 'save' && step.name === 'Dockerfile')
  expect(dockerfile?.kind === 'save' && validate(dockerfile.code)).toEqual([])
})

test('the image builds, serves, is healthy and stops', async () => {
  for (const step of stepsOf(PAGE)) {
    if (step.kind === 'save') {
      mkdirSync(dirname(join(shell.folder, step.name)), { recursive: true })
      writeFileSync(join(shell.folder, step.name), step.code)
    } else if (!step.ran.startsWith('not run')) {
      const tarball = inject('tarball')
      const commands = step.commands
        .replace(/^npx portcall new\b/gm, `npx --yes --package='${tarball}' portcall new`)
        .replace(/^npm install$/gm, `npm install '${tarball}'`)
      await shell.run(commands)
    }
  }
  const [first = [], last = []] = stagesOf(readFileSync(join(shell.folder, 'Dockerfile'), 'utf8'))
  await build(first, join(home, 'build'), shell.folder)
  await build(last, join(home, 'image'), shell.folder)

  const port = await freePort()
  const inContainer = ([command = '', ...args]: string[]) =>
    spawn(
      command === 'node' ? process.execPath : command,
      args.map((arg) => arg.replace('3000', String(port))),
      {
        cwd: join(home, 'image'),
        env: { ...process.env, NODE_ENV: 'production', PORT: String(port) },
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
  const checkHealth = async (): Promise<number> =>
    (await once(inContainer(commandOf(argumentsOf(last, 'HEALTHCHECK'))), 'close'))[0]
  expect(await checkHealth()).toBe(1)
  const server = inContainer(commandOf(argumentsOf(last, 'CMD')))
  const closed = once(server, 'close')
  await eventually(async () => expect(await checkHealth()).toBe(0))
  server.kill('SIGTERM')
  expect((await closed)[0]).toBe(0)
})
