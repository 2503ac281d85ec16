/**
 * `node tools/contents.mjs`: writes the lists of pages in docs/README.md and llms.txt from lib/contents.mjs, and the list of examples in examples/README.md; `--check` compares
 * instead, and reports pages that are missing or not listed.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGES, SECTIONS } from './lib/contents.mjs'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText } from './lib/paths.mjs'

const DOCS = join(ROOT, 'docs')
const HEAD = `# Portcall

> Build Model Context Protocol (MCP) servers and clients in TypeScript. One definition serves every protocol version from 2024-11-05 to 2026-07-28 over stdio
> and HTTP. No dependencies. Runs on Node.js 20.19 and later, Bun, Deno and Cloudflare Workers; the client also runs in browsers.

To write a server, import \`createServer\` from \`portcall\`, then \`serve\` from \`portcall/node\`, \`httpHandler\` from \`portcall/http\` or \`serveStdio\` from
\`portcall/stdio\`. To write a client, import \`connect\` from \`portcall/client\`. To test, import \`connectPair\` from \`portcall/testing\`. ES modules only.
`
const EXAMPLES = join(ROOT, 'examples')
const EXAMPLES_HEAD = `# Examples

One feature per file. The page beside an example explains it. \`npm test\` runs all of them.

Start with [first-server](first-server.ts) and [first-client](first-client.ts). [notes](notes/main.ts) is a whole server, with tools, resources, prompts and
notifications; \`npm start\` serves it. Run any other file in a clone of the repository, without installing anything first:

<!-- run by: test/newcomer/commands.test.ts, goes on running -->
\`\`\`sh
node tools/run.mjs examples/book-table.ts
\`\`\`

Three servers with a view (MCP Apps): [a chart](apps/sales.ts) whose filters call the tool again, [a form](apps/refund.ts) that waits for approval, and
[a table](apps/trees.ts) of 10,000 rows. Each has its view in the file beside it.

Files that only export a server are modules for the command: \`npx portcall serve FILE\` in a project that has Portcall.
`
const OPTIONAL = `## Optional

- [API reference](docs/reference/api/README.md): every export, generated from the source
- [Examples](examples/README.md): one feature per file
- [Changelog](CHANGELOG.md): what changed in each version
`

const list = (prefix) =>
  SECTIONS.map(
    ({ title, folder, pages }) =>
      `## ${title}\n\n${pages.map(([name, page, about]) => `- [${page}](${prefix}${folder}/${name}.md): ${about}`).join('\n')}\n`,
  ).join('\n')

const index = readText(join(DOCS, 'README.md')).replace(
  /(<!-- pages -->\n)[\s\S]*?(<!-- end of pages -->)/,
  (_all, start, end) => `${start}\n${list('')}\n${end}`,
)
/** The examples, below the pages that explain them. An example of several pages is listed below the first. */
function examples() {
  const left = new Set(filesBelow(EXAMPLES, '.ts').map((path) => path.slice(EXAMPLES.length + 1)))
  const rowsOf = (path) =>
    [...readText(join(DOCS, `${path}.md`)).matchAll(/<!-- from: examples\/([\w./-]+\.ts)/g)]
      .map(([, file]) => file)
      .filter((file) => left.delete(file))
      .map((file) => `[${file.slice(0, -'.ts'.length)}](${file})`)
  const sections = SECTIONS.map(({ title, folder, pages }) => {
    const rows = pages
      .map(([name, page]) => [`[${page}](../docs/${folder}/${name}.md)`, rowsOf(`${folder}/${name}`)])
      .filter(([, files]) => files.length > 0)
      .map(([page, files]) => `| ${page} | ${files.join(', ')} |`)
    return rows.length === 0 ? '' : `## ${title}\n\n| Page | Examples |\n|---|---|\n${rows.join('\n')}\n`
  })
  const programs = [...left].filter((file) => !file.includes('/')).map((file) => `[${file.slice(0, -'.ts'.length)}](${file})`)
  return [EXAMPLES_HEAD, ...sections.filter(Boolean), `## Others\n\n${programs.join(', ')}\n`].join('\n')
}

const WRITTEN = {
  'examples/README.md': examples(),
  'docs/README.md': index,
  'llms.txt': `${HEAD}\n${list('docs/')}\n${OPTIONAL}`,
}

const faults = []
for (const [name, text] of Object.entries(WRITTEN)) {
  const file = join(ROOT, name)
  if (!process.argv.includes('--check')) writeFileSync(file, text)
  else if (!existsSync(file) || readText(file) !== text) faults.push(`${name} is out of date: npm run check:docs -- --write`)
}
const listed = new Set(['README', 'index', ...PAGES.map(({ path }) => path)])
const written = filesBelow(DOCS, '.md')
  .map((path) => path.slice(DOCS.length + 1, -'.md'.length))
  .filter((path) => !path.startsWith('reference/api/') && !path.startsWith('.vitepress/'))
faults.push(...written.filter((path) => !listed.has(path)).map((path) => `docs/${path}.md is not in tools/lib/contents.mjs`))
faults.push(...PAGES.filter(({ path }) => !written.includes(path)).map(({ path }) => `docs/${path}.md does not exist`))
for (const fault of faults) console.log(fault)
process.exitCode = faults.length ? 1 : 0
