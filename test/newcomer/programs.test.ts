/** Every complete program of the documentation, in an empty project with the packed library: it compiles, and it runs. */
import { connect } from 'portcall/client'
import { expect, inject, test } from 'vitest'
import type { Program } from './support/programs.ts'
import { connectForTest, run, start } from './support/project.ts'

/** Needs of programs that their pages do not meet. Such programs are only compiled here; test/examples, test/stores, test/composition and test/operations run them. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/from '(ioredis|redis|pg|postgres|bullmq|pg-boss)'/, 'a database'],
  [/from '(next|@modelcontextprotocol|fastmcp|@opentelemetry)/, 'another library'],
  [/from '(ai|openai|@anthropic-ai\/sdk|@langchain\/.*)'/, 'a model'],
  [
    /process\.argv\[2\]\)|process\.env\.(?!PORT\b|HOST\b|SEALING_KEYS\b|ALLOWED_HOSTS\b|ISSUER\b)\w+(?!.* \?\?)/,
    'arguments or variables',
  ],
  [/readFileSync\(|readFile\(|sqliteStores\(|\bskills\(/, 'files'],
  [
    /\bcommand: |127\.0\.0\.1:3000\/mcp'|connectAll\(|^(?=[\s\S]*\bconnect\()[\s\S]*\.example\b|^(?=[\s\S]*\bconnect\()[\s\S]*example\.com/,
    'a server',
  ],
  [/buildView\('\/app/, 'the files of a view'],
]

/** How a program is run. */
const ROUTES: readonly (readonly [RegExp, string, (program: Program) => Promise<unknown>])[] = [
  [/from 'node:test'/, 'passes', ({ path }) => run(path, { nodeArgs: ['--test'] })],
  [/serveStdio\(/, 'serves over stdio', serveOverStdio],
  [/^/, 'runs', exitOrServe],
]

async function serveOverStdio({ path }: Program): Promise<void> {
  const file = `${inject('project')}/${path.replace(/\.(m?)ts$/, '.$1js')}`
  const client = await connectForTest({ command: process.execPath, args: [file, '--stdio'] })
  expect((await client.discover()).serverInfo?.name).toMatch(/./)
}

/** A program either exits by itself, or serves an endpoint that lists what it offers or requires a token. */
async function exitOrServe({ path }: Program): Promise<void> {
  const serving = await start(path, { mayExit: true })
  if (!serving) return
  const { url, stop } = serving
  const { status } = await fetch(url, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(60_000),
  })
  if (status === 401) return
  const client = await connect(url)
  expect((await client.discover()).serverInfo?.name).toMatch(/./)
  await client.close()
  await stop()
}

test('all programs compile with the recommended settings', () => {
  const lines = inject('compilerErrors').split('\n')
  const places = new Map(inject('programs').map(({ page, path, line }) => [path, { page, line }]))
  const errors = lines.map((error) =>
    error.replace(/^(\S+?)\((\d+),\d+\)/, (place, path, line) => {
      const found = places.get(path)
      return found ? `${found.page}:${found.line + Number(line)}` : place
    }),
  )
  expect(errors.join('\n')).toBe('')
})

const cases = inject('programs').map((program) => {
  const need = NEEDS.find(([pattern]) => pattern.test(program.code))?.[1]
  const [, verb, route] = ROUTES.find(([pattern]) => pattern.test(program.code)) ?? ROUTES[ROUTES.length - 1]!
  return { program, need, route, title: `${program.page}:${program.line} ${need ? `needs ${need}` : verb}` }
})

test('there are programs that run', () => expect(cases.filter(({ need }) => !need).length).toBeGreaterThan(15))

test.each(cases.filter(({ need }) => !need))('$title', async ({ program, route }) => void (await route(program)))
test.skip.each(cases.filter(({ need }) => need))('$title', () => {})
