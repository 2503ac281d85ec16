/**
 * `node tools/contents.mjs`: writes the lists of pages in docs/README.md and llms.txt from lib/contents.mjs; `--check` compares
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
const OPTIONAL = `## Optional

- [API reference](docs/reference/api/README.md): every export, generated from the source
- [Examples](examples): one feature per file
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
const WRITTEN = { 'docs/README.md': index, 'llms.txt': `${HEAD}\n${list('docs/')}\n${OPTIONAL}` }

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
