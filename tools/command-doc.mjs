/** `node tools/command-doc.mjs`: writes the tables of docs/tools/cli.md from the definitions of the commands; `--check` compares instead. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensure } from './ensure.mjs'
import { programs } from './lib/entrypoints.mjs'
import { ROOT, readText } from './lib/paths.mjs'
import { createReport } from './lib/report.mjs'
import { runNode } from './lib/run.mjs'

const PAGE = join(ROOT, 'docs', 'tools', 'cli.md')
const PARTS = { commands: commandsPart, flags: flagsPart, exits: exitsPart }

const code = (text) => `\`${text.replaceAll('|', '\\|')}\``
const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const spelling = ([name, { short, value }]) => code(`${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`)
const flagRows = (flags) => Object.entries(flags).map((flag) => [spelling(flag), flag[1].description])

/** Returns the values of an argument or option as a table. */
function choicesTable({ title, values }) {
  return table(
    [title.toLowerCase(), 'description'],
    Object.entries(values).map(([value, description]) => [code(value), description]),
  )
}

function commandsPart({ commands }) {
  return commands
    .map(({ name, summary, usage, details = [], choices = [], flags, examples }) =>
      [
        `### ${name}`,
        `${summary}.`,
        `\`\`\`text\n${usage}\n\`\`\``,
        ...details.map((text) => text.replaceAll('<', '\\<')),
        ...choices.map(choicesTable),
        ...(Object.keys(flags).length > 0 ? [table(['option', 'description'], flagRows(flags))] : []),
        `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
      ].join('\n\n'),
    )
    .join('\n\n')
}

function flagsPart({ flags: { common, connection } }) {
  return [
    'Every command accepts these options:',
    table(['option', 'description'], flagRows(common)),
    'Commands that connect to a server also accept these:',
    table(['option', 'description'], flagRows(connection)),
  ].join('\n\n')
}

function exitsPart({ exit, meanings }) {
  return table(
    ['code', 'name', 'meaning'],
    Object.entries(exit).map(([name, value]) => [value, code(name), meanings[name]]),
  )
}

/** Returns the page with its generated parts replaced. */
function written(text, catalogue) {
  return Object.entries(PARTS).reduce((page, [name, make]) => {
    const part = new RegExp(`(<!-- ${name} of the command -->)[^]*?(<!-- end of ${name} -->)`)
    if (!part.test(page)) throw new Error(`docs/tools/cli.md has no part for ${name}`)
    return page.replace(part, (_all, begin, end) => `${begin}\n\n${make(catalogue)}\n\n${end}`)
  }, text)
}

await ensure()
const [{ script }] = programs()
const { stdout, ok, output } = runNode([script, 'help', '--json'], { quiet: true })
if (!ok) throw new Error(output)
const text = readText(PAGE)
const fresh = written(text, JSON.parse(stdout))
if (process.argv.includes('--check')) {
  const report = createReport('docs/tools/cli.md')
  report.check(
    'matches the definitions of the commands',
    fresh === text ? [] : ['docs/tools/cli.md is out of date: node tools/command-doc.mjs'],
  )
  report.end()
} else writeFileSync(PAGE, fresh)
