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

const readme = (name: string, commands: string): string => `# ${name}\n\n\`\`\`sh\nnpm install\n${commands}\n\`\`\`\n`
const SERVER_COMMANDS =
  'npm start          # http://127.0.0.1:3000/mcp\nnpm run dev        # reloads when the code changes\nnpm test'
const GITIGNORE = 'node_modules/\ndist/\n'

const TYPESCRIPT = { typescript: '^6.0.3', '@types/node': '^20.19.0' }
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

export const TEMPLATES: { readonly [name: string]: Template } = {
  ts: {
    summary: 'a server in TypeScript, with Zod',
    files: (options) => ({
      'package.json': manifest(options, {
        scripts: {
          build: 'tsc',
          start: 'tsc && portcall serve dist/server.js',
          stdio: 'portcall serve dist/server.js --stdio',
          // Shells differ in how they start a command in the background.
          dev: 'tsc && concurrently --raw --kill-others "tsc --watch --preserveWatchOutput" "portcall serve dist/server.js --watch"',
          test: 'tsc && node --test dist/',
        },
        dependencies: { zod: '^4.1.0' },
        devDependencies: { ...TYPESCRIPT, concurrently: '^9.2.1' },
      }),
      'tsconfig.json': TSCONFIG,
      'src/server.ts': SERVER_TS(options.name),
      'src/server.test.ts': TEST_TS,
      'README.md': readme(options.name, SERVER_COMMANDS),
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
      'README.md': readme(options.name, SERVER_COMMANDS),
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
