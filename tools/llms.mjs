/** `node tools/llms.mjs`: writes llms.txt, the list of pages for language models, from docs/README.md; `--check` compares instead. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText } from './lib/paths.mjs'

const FILE = join(ROOT, 'llms.txt')
const HEAD = `# Portcall

> Build Model Context Protocol servers and clients in TypeScript, for every protocol revision from 2024-11-05 to 2026-07-28, over stdio and HTTP. One package
> without dependencies, for Node 20.19 and later, Bun, Deno, Cloudflare Workers and browsers.

To write a server, import \`createServer\` from \`portcall\`, then \`serve\` from \`portcall/node\`, \`httpHandler\` from \`portcall/http\` or \`serveStdio\` from
\`portcall/stdio\`. To write a client, import \`connect\` from \`portcall/client\`. To test, import \`connectPair\` from \`portcall/testing\`. ES modules only.
`
const FIRST = [
  [
    'Quick start: server',
    'docs/first-server.md',
    'from an empty folder to a server with tools, resources, prompts and elicitation',
  ],
  ['Quick start: client', 'docs/first-client.md', 'connect, list, call, read and answer input requests'],
]
const LAST = [
  ['Examples', 'examples', 'one feature per file'],
  ['Changelog', 'CHANGELOG.md', 'released features'],
]

const line = ([title, path, about]) => `- [${title}](${path}): ${about}`
const section = (title, rows) => `## ${title}\n\n${rows.map(line).join('\n')}\n`

/** Returns the sections of docs/README.md that are tables of pages. */
function sections() {
  const parts = readText(join(ROOT, 'docs', 'README.md'))
    .split(/^## /m)
    .slice(1)
  return parts
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')),
      rows: [...part.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) \| (.+) \|$/gm)].map(([, title, path, about]) => [
        title,
        `docs/${path}`,
        about,
      ]),
    }))
    .filter(({ rows }) => rows.length > 0)
}

const text = [
  HEAD,
  section('Get started', FIRST),
  ...sections().map(({ title, rows }) => section(title, rows)),
  section('Optional', LAST),
].join('\n')

/** Returns the pages that the list leaves out. */
function unlisted() {
  const pages = filesBelow(join(ROOT, 'docs'), '.md').map((path) => path.slice(ROOT.length + 1))
  return pages.filter((path) => !path.startsWith('docs/reference/') && path !== 'docs/README.md' && !text.includes(`(${path})`))
}

if (!process.argv.includes('--check')) writeFileSync(FILE, text)
const faults = unlisted().map((path) => `${path} is not in docs/README.md`)
if (!existsSync(FILE) || readText(FILE) !== text) faults.push('llms.txt is out of date: npm run check:docs -- --write')
for (const fault of faults) console.log(fault)
process.exitCode = faults.length ? 1 : 0
