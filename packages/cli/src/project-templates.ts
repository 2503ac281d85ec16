/** The projects that `portcall new` creates. */

export interface ProjectOptions {
  readonly name: string
  /** The version of this package to depend on. */
  readonly version: string
}

export interface Template {
  readonly summary: string
  /** Returns the files by path. */
  readonly files: (options: ProjectOptions) => { readonly [path: string]: string }
}

const json = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

/** Returns package.json. */
function manifest(
  { name, version }: ProjectOptions,
  { scripts, dependencies, devDependencies }: { scripts: object; dependencies?: object; devDependencies?: object },
): string {
  return json({
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    engines: { node: '>=20.19' },
    scripts,
    dependencies: { portcall: `^${version}`, ...dependencies },
    ...(devDependencies && { devDependencies }),
  })
}

const readme = (name: string, commands: string, more = ''): string =>
  `# ${name}\n\n\`\`\`sh\nnpm install\n${commands}\n\`\`\`\n${more}`

/** Returns how to add the server of a file to hosts. */
const installation = (name: string, file: string): string => `
Add it to Claude Code and other hosts (\`npx portcall install --help\` lists them)${file.startsWith('dist/') ? ', after `npm run build`' : ''}:

\`\`\`sh
npx portcall install ${file} --name ${name} --to claude-code
\`\`\`

\`${file}\` exports the server and does not serve it: the entry starts \`portcall serve\` with it.
`
const SERVER_COMMANDS =
  'npm start          # http://127.0.0.1:3000/mcp\nnpm run dev        # reloads when the code changes\nnpm test'
const GITIGNORE = 'node_modules/\ndist/\n'

const TS_PACKAGES = { typescript: '^6.0.3', '@types/node': '^20.19.0', concurrently: '^9.2.1' }
const TS_SCRIPTS = {
  build: 'tsc',
  start: 'tsc && portcall serve dist/server.js',
  stdio: 'portcall serve dist/server.js --stdio',
  // Shells differ in how they start a command in the background.
  dev: 'tsc && concurrently --raw --kill-others "tsc --watch --preserveWatchOutput" "portcall serve dist/server.js --watch"',
  test: 'tsc && node --test dist/',
}
const TSCONFIG = json({
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    strict: true,
    skipLibCheck: true,
    types: ['node'],
    rootDir: 'src',
    outDir: 'dist',
  },
  include: ['src'],
})

const SERVER_TS = (name: string): string => `import { createServer } from 'portcall'
import * as z from 'zod'

export const server = createServer({ name: '${name}', version: '0.1.0' })
  .tool(
    'greet',
    { description: 'Greets a person', input: z.object({ name: z.string().describe('Name of the person to greet') }) },
    ({ name }) => \`Hello, \${name}!\`,
  )
`
const TEST_TS = `import { test } from 'node:test'
import { assertText, connectPair } from 'portcall/testing'
import { server } from './server.js'

test('greets', async () => {
  const client = await connectPair(server)
  assertText(await client.callTool('greet', { name: 'Ada' }), 'Hello, Ada!')
  await client.close()
})
`
const SERVER_JS = (name: string): string => `import { createServer } from 'portcall'

const input = {
  type: 'object',
  properties: { name: { type: 'string', description: 'Name of the person to greet' } },
  required: ['name'],
}

export const server = createServer({ name: '${name}', version: '0.1.0' })
  .tool('greet', { description: 'Greets a person', input }, ({ name }) => \`Hello, \${name}!\`)
`
const CLIENT_JS = `import { connect } from 'portcall/client'

const [url = 'http://127.0.0.1:3000/mcp'] = process.argv.slice(2)
const client = await connect(url)
for await (const { name, description } of client.tools()) console.log(\`\${name}: \${description ?? ''}\`)
await client.close()
`

const APP_SERVER_TS = (name: string): string => `import { createServer } from 'portcall'
import { view } from 'portcall/apps/server'
import * as z from 'zod'

export const server = createServer({ name: '${name}', version: '0.1.0' })
  .tool(
    'roll',
    {
      description: 'Rolls dice, and shows them to the user',
      input: z.object({
        dice: z.number().int().min(1).max(12).default(2).describe('Number of dice'),
        // The same seed gives the same dice, so that tests and pictures of the view are the same each time.
        seed: z.number().int().describe('Any number, another one for each roll').meta({ examples: [1] }),
      }),
      output: z.object({ rolls: z.array(z.number()) }),
      annotations: { readOnlyHint: true },
      view: view('./roll-view.js', { title: 'Dice' }),
    },
    ({ dice, seed }) => ({
      rolls: Array.from({ length: dice }, (_, index) => 1 + ((Math.imul(seed + 7 * index, 0x9e3779b1) >>> 16) % 6)),
    }),
  )
`
/** The view of the tool. Hosts show it in a frame; it needs no framework. */
const APP_VIEW_TS = (name: string): string => `import { type AppTools, applyDefaultStyles, connectApp } from 'portcall/apps'
import type { server } from './server.js'

type Tools = AppTools<typeof server>

document.title = 'Dice'
document.documentElement.lang = 'en'
document.body.innerHTML = \`
<style>
  main { padding: 16px; display: grid; gap: 16px; justify-items: start; }
  ol { display: flex; flex-wrap: wrap; gap: 8px; margin: 0; padding: 0; list-style: none; }
  li { display: grid; place-items: center; width: 48px; height: 48px; border: 1px solid var(--color-border-primary); border-radius: var(--border-radius-md); font-size: var(--font-heading-md-size); font-variant-numeric: tabular-nums; }
  button { min-height: 44px; padding: 0 16px; border: 0; border-radius: var(--border-radius-md); font: inherit; color: var(--color-text-inverse); background: var(--color-background-inverse); cursor: pointer; }
  button:disabled { opacity: 0.5; }
</style>
<main><ol aria-label="Dice"></ol><button disabled>Roll again</button><div role="status"></div></main>\`
applyDefaultStyles()

const find = <E extends Element>(selector: string) => document.querySelector(selector) as E
const [list, button, status] = [find('ol'), find<HTMLButtonElement>('button'), find('[role=status]')]

function draw({ rolls }: Tools['roll']['output']): void {
  list.replaceChildren(...rolls.map((roll) => Object.assign(document.createElement('li'), { textContent: String(roll) })))
  status.textContent = 'Sum: ' + rolls.reduce((sum, roll) => sum + roll, 0)
}

const app = await connectApp<Tools>({ name: '${name}', version: '0.1.0' })
app.on('result', ({ structuredContent }) => {
  draw(structuredContent)
  button.disabled = false
})

button.onclick = async () => {
  button.disabled = true
  try {
    const { structuredContent } = await app.call('roll', { dice: list.childElementCount, seed: Math.floor(Math.random() * 1e6) })
    draw(structuredContent)
  } catch (error) {
    status.textContent = (error as Error).message
  } finally {
    button.disabled = false
  }
}
`
const APP_TEST_TS = `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPair } from 'portcall/testing'
import { server } from './server.js'

test('rolls dice, and has a view', async () => {
  const client = await connectPair(server)
  const { structuredContent } = await client.callTool('roll', { dice: 3, seed: 1 })
  assert.equal(structuredContent?.rolls.length, 3)
  const [page] = await client.resources().toArray()
  assert.match(page?.uri ?? '', /^ui:/)
  await client.close()
})
`

export const TEMPLATES: { readonly [name: string]: Template } = {
  ts: {
    summary: 'a server in TypeScript, with Zod',
    files: (options) => ({
      'package.json': manifest(options, {
        scripts: TS_SCRIPTS,
        dependencies: { zod: '^4.1.0' },
        devDependencies: TS_PACKAGES,
      }),
      'tsconfig.json': TSCONFIG,
      'src/server.ts': SERVER_TS(options.name),
      'src/server.test.ts': TEST_TS,
      'README.md': readme(options.name, SERVER_COMMANDS, installation(options.name, 'dist/server.js')),
      '.gitignore': GITIGNORE,
    }),
  },
  app: {
    summary: 'a server in TypeScript with a view that hosts show (MCP Apps)',
    files: (options) => ({
      'package.json': manifest(options, {
        scripts: TS_SCRIPTS,
        // rolldown bundles the view when the server starts.
        dependencies: { zod: '^4.1.0', rolldown: '^1.2.0' },
        devDependencies: TS_PACKAGES,
      }),
      'tsconfig.json': TSCONFIG,
      'src/server.ts': APP_SERVER_TS(options.name),
      'src/roll-view.ts': APP_VIEW_TS(options.name),
      'src/server.test.ts': APP_TEST_TS,
      'README.md': readme(
        options.name,
        `${SERVER_COMMANDS}
npx portcall apps preview dist/server.js      # shows the view in any host, and again when you change it
npx portcall apps test dist/server.js         # checks it in the hosts; needs npm install --save-dev playwright-core axe-core
npx portcall apps screenshot dist/server.js   # takes pictures, and compares them with the last ones
npx portcall check dist/server.js             # finds what keeps hosts from showing it, without a browser`,
        installation(options.name, 'dist/server.js'),
      ),
      '.gitignore': GITIGNORE,
    }),
  },
  js: {
    summary: 'a server in JavaScript, without a build',
    files: (options) => ({
      'package.json': manifest(options, {
        scripts: {
          start: 'portcall serve server.js',
          stdio: 'portcall serve server.js --stdio',
          dev: 'portcall serve server.js --watch',
          test: 'node --test',
        },
      }),
      'server.js': SERVER_JS(options.name),
      'server.test.js': TEST_TS,
      'README.md': readme(options.name, SERVER_COMMANDS, installation(options.name, 'server.js')),
      '.gitignore': GITIGNORE,
    }),
  },
  client: {
    summary: 'a client in JavaScript',
    files: (options) => ({
      'package.json': manifest(options, { scripts: { start: 'node client.js' } }),
      'client.js': CLIENT_JS,
      'README.md': readme(options.name, 'npm start -- http://127.0.0.1:3000/mcp'),
      '.gitignore': GITIGNORE,
    }),
  },
}
