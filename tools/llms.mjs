/** `node tools/llms.mjs`: writes llms.txt, the list of the pages for models, out of docs/README.md; with `--check` tells whether it is fresh. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow } from './lib/files.mjs'
import { ROOT, readText } from './lib/paths.mjs'

const FILE = join(ROOT, 'llms.txt')
const HEAD = `# Portcall

> The Model Context Protocol, whole, in TypeScript: servers and clients of every revision from 2024-11-05 to 2026-07-28, over stdio and HTTP. One package
> without dependencies, for Node 20.19 and newer, Bun, Deno, Workers and browsers.

A server: \`createServer\` of \`portcall\`, then \`serve\` of \`portcall/node\`, \`httpHandler\` of \`portcall/http\` or \`serveStdio\` of \`portcall/stdio\`. A client: \`connect\`
of \`portcall/client\`. Tests: \`pair\` of \`portcall/testing\`. ES modules only.
`
const FIRST = [
  [
    'A server in ten minutes',
    'docs/first-server.md',
    'from an empty folder to a server with tools, resources, prompts and questions',
  ],
  ['A client in ten minutes', 'docs/first-client.md', 'connects to it, lists, calls, reads, answers'],
]
const LAST = [
  ['Examples', 'examples', 'one story a file'],
  ['Changelog', 'CHANGELOG.md', 'what is in'],
]

const line = ([title, path, about]) => `- [${title}](${path}): ${about}`
const chapter = (title, rows) => `## ${title}\n\n${rows.map(line).join('\n')}\n`

/** The chapters of docs/README.md that are tables of pages. */
function chapters() {
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
  chapter('Begin', FIRST),
  ...chapters().map(({ title, rows }) => chapter(title, rows)),
  chapter('Optional', LAST),
].join('\n')

/** Pages that the list does not name. */
function forgotten() {
  const pages = filesBelow(join(ROOT, 'docs'), '.md').map((path) => path.slice(ROOT.length + 1))
  return pages.filter((path) => !path.startsWith('docs/reference/') && path !== 'docs/README.md' && !text.includes(`(${path})`))
}

if (!process.argv.includes('--check')) writeFileSync(FILE, text)
const faults = forgotten().map((path) => `${path} is not in docs/README.md`)
if (!existsSync(FILE) || readText(FILE) !== text) faults.push('llms.txt is stale: npm run check:docs -- --write')
for (const fault of faults) console.log(fault)
process.exitCode = faults.length ? 1 : 0
