import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { makePortable } from './portable-program.ts'

const SHIM = '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node  "$basedir/../shimmed/cli.js" "$@"\n'
const SERVER = "import { createServer } from 'portcall'\nexport const server = createServer({ name: 'a', version: '1' })\n"
const FILES: { readonly [path: string]: string } = {
  'package.json': JSON.stringify({ scripts: { stdio: 'node server.js' } }),
  'deno.json': '{ "tasks": { "stdio": "deno run server.js" } }',
  'server.js': '',
  'server.py': '',
  'dist/index.js': '',
  'dist/syntax.mjs': 'const = 1',
  'dist/only.mjs': SERVER,
  'dist/split.mjs': `import { start } from './start.mjs'\n${SERVER}\nstart(server)\n`,
  'dist/start.mjs': "import { serveStdio } from 'portcall/stdio'\nexport const start = serveStdio\n",
  'dist/broken.mjs': "import './missing.mjs'\n",
  'node_modules/portcall/package.json': '{ "name": "portcall", "exports": { ".": "./a.cjs", "./stdio": "./b.cjs" } }',
  'node_modules/portcall/a.cjs': 'exports.createServer = () => {}',
  'node_modules/portcall/b.cjs': 'exports.serveStdio = () => {}',
  'data/a.txt': '',
  'names/x': '',
  '.env': '',
  'hook.mjs': '',
  'pkg/__main__.py': '',
  'node_modules/hooks/package.json':
    '{ "name": "hooks", "exports": { "./register": { "import": "./r.mjs", "require": "./r.cjs" } } }',
  'node_modules/hooks/r.mjs': '',
  'node_modules/hooks/r.cjs': '',
  'node_modules/linked/cli.js': '#!/usr/bin/env node\n',
  'node_modules/shimmed/cli.js': '#!/usr/bin/env node\n',
  'node_modules/.bin/shimmed': SHIM,
  'node_modules/@acme/tool/package.json': '{ "name": "@acme/tool", "bin": { "tool": "run.js", "other": "x.js" } }',
  'node_modules/@acme/tool/run.js': '#!/usr/bin/env node\n',
  'node_modules/.bin/native': '\u007fELF',
  'deep/inside/server.js': '',
}

function createProject(): string {
  const folder = temporaryFolder()
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  symlinkSync('../linked/cli.js', join(folder, 'node_modules/.bin/linked'))
  return folder
}

const portable = (
  line: string,
  { cwd, force = false, env = {} }: { cwd: string; force?: boolean; env?: Record<string, string> },
) => {
  const [command = '', ...args] = line.split(' ')
  return makePortable({ command, args, env, cwd }, force)
}

/** Writes a command line as one text, in which `%` stands for the project. */
const lineOf = (line: string, cwd: string): string => {
  const { command, args } = portable(line, { cwd })
  return [command, ...args].join(' ').replaceAll(pathToFileURL(cwd).href, '%url').replaceAll(cwd, '%')
}

test.each([
  // The file of a runtime, and the files that its options name.
  ['node server.js --stdio', 'node %/server.js --stdio'],
  ['node server', 'node %/server.js'],
  ['node dist', 'node %/dist'],
  ['node .', 'node %'],
  ['node --env-file=.env --import ./hook.mjs server.js', 'node --env-file=%/.env --import %url/hook.mjs %/server.js'],
  ['node --env-file .env -r ./hook.mjs server.js', 'node --env-file %/.env -r %/hook.mjs %/server.js'],
  ['node --import hooks/register server.js', 'node --import %url/node_modules/hooks/r.mjs %/server.js'],
  ['node --require=hooks/register server.js', 'node --require=%/node_modules/hooks/r.cjs %/server.js'],
  ['node --import node:fs --title names server.js', 'node --import node:fs --title names %/server.js'],
  ['node --env-file-if-exists=.none server.js', 'node --env-file-if-exists=.none %/server.js'],
  ['node -e import("x/y.js") ./z.js', 'node -e import("x/y.js") ./z.js'],
  ['node dist/split.mjs', 'node %/dist/split.mjs'],
  ['tsx watch server.js', 'tsx watch %/server.js'],
  ['deno run -A server.js', 'deno run -A %/server.js'],
  ['deno run npm:cowsay/x.js', 'deno run npm:cowsay/x.js'],
  ['deno run https://example.com/server.ts', 'deno run https://example.com/server.ts'],
  ['bun run server.js', 'bun run %/server.js'],
  ['python3.12 server.py', 'python3.12 %/server.py'],
  ['npx -y portcall@1 serve dist/only.mjs --stdio', 'npx -y portcall@1 serve %/dist/only.mjs --stdio'],
  // Arguments that are existing paths; names are not.
  ['other ./data --config=.env --out=new.db names ./new', 'other %/data --config=%/.env --out=new.db names ./new'],
  ['docker run -v ./data:/data image', 'docker run -v %/data:/data image'],
  ['./server.js data', '%/server.js data'],
  // Package managers.
  ['npm run stdio', 'npm --prefix % run stdio'],
  ['npm start', 'npm --prefix % start'],
  ['npm run --workspace=a other', 'npm --prefix % run --workspace=a other'],
  ['npm --prefix data run other', 'npm --prefix %/data run other'],
  ['pnpm stdio', 'pnpm --dir % stdio'],
  ['pnpm run stdio', 'pnpm --dir % run stdio'],
  ['yarn run stdio', 'yarn --cwd % run stdio'],
  ['bun run stdio', 'bun --cwd=% run stdio'],
  ['deno task stdio', 'deno task --cwd % stdio'],
  ['uv run server.py', 'uv --directory % run %/server.py'],
  ['uv run --with mcp mcp run server.py', 'uv --directory % run --with mcp mcp run %/server.py'],
  ['go run .', 'go -C % run %'],
  ['npm install', 'npm install'],
  ['pnpm dlx some', 'pnpm dlx some'],
  // Binaries of packages.
  ['npx linked ./data', 'node %/node_modules/linked/cli.js %/data'],
  ['npx -y shimmed', 'node %/node_modules/shimmed/cli.js'],
  ['npx @acme/tool x', 'node %/node_modules/@acme/tool/run.js x'],
  ['npm exec -- linked --x', 'node %/node_modules/linked/cli.js --x'],
  ['bunx native', '%/node_modules/.bin/native'],
  ['linked --x', 'node %/node_modules/linked/cli.js --x'],
  ['npx linked@1 ./data', 'npx linked@1 %/data'],
  ['npx -p some linked', 'npx -p some linked'],
  ['npx -y some-server', 'npx -y some-server'],
])('%s becomes %s', (line, expected) => {
  expect(lineOf(line, createProject())).toBe(expected)
})

test('a folder of a project is enough for a script and for a binary', () => {
  const project = createProject()
  expect(portable('npm run stdio', { cwd: join(project, 'deep/inside') }).args).toEqual(['--prefix', project, 'run', 'stdio'])
  expect(portable('npx linked', { cwd: join(project, 'deep') }).args).toEqual([join(project, 'node_modules/linked/cli.js')])
})

test.each([
  ['node dist/nope.js', 'no such file: dist/nope.js in %'],
  ['node nope.js', 'no such file: nope.js in %'],
  ['node /nope/nope.js', 'no such file: /nope/nope.js'],
  ['tsx src/nope.ts', 'no such file: src/nope.ts in %'],
  ['npx tsx src/nope.ts', 'no such file: src/nope.ts in %'],
  ['deno run -A nope.ts', 'no such file: nope.ts in %'],
  ['bun nope.ts', 'no such file: nope.ts in %'],
  ['python nope.py', 'no such file: nope.py in %'],
  ['uv run nope.py', 'no such file: nope.py in %'],
  ['npx portcall serve nope.js --stdio', 'no such file: nope.js in %'],
  ['node --env-file .nope server.js', 'no such file: .nope in %'],
  ['node --import ./nope.js server.js', 'no such file: ./nope.js in %'],
  ['node --import tsx-nope server.js', 'there is no package tsx-nope in %'],
  ['./nope', 'no such file: ./nope in %'],
  ['npm run nope', '%/package.json has no script nope'],
  ['node dist/only.mjs', 'dist/only.mjs only exports a server, so node ends at once'],
  ['tsx dist/only.mjs', 'dist/only.mjs only exports a server, so tsx ends at once'],
  ['node dist/syntax.mjs', 'cannot load dist/syntax.mjs: SyntaxError'],
  ['portcall serve server.js --stdio', 'server.js exports no server'],
  ['node dist/broken.mjs', 'cannot load dist/broken.mjs: Error [ERR_MODULE_NOT_FOUND]'],
])('%s is refused, unless the user insists', (line, message) => {
  const cwd = createProject()
  expect(() => portable(line, { cwd })).toThrow(message.replace('%', cwd))
  expect(() => portable(line, { cwd, force: true })).not.toThrow()
})

test('a file that is missing becomes an absolute path if the user insists', () => {
  const cwd = createProject()
  expect(portable('node dist/nope.js', { cwd, force: true }).args).toEqual([join(cwd, 'dist/nope.js')])
})

test('variables that are existing paths become absolute, and Python finds modules of the directory', () => {
  const cwd = createProject()
  const { env } = portable('python3 -m pkg.sub', { cwd, env: { FILE: './data/a.txt', SEPARATOR: '.', OTHER: './nope' } })
  expect(env).toEqual({ FILE: join(cwd, 'data/a.txt'), SEPARATOR: '.', OTHER: './nope', PYTHONPATH: cwd })
  expect(portable('python3 -m http.server', { cwd }).env).toEqual({})
})
