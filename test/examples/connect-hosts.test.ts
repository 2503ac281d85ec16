import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { jsonEditor } from '../../packages/cli/src/hosts/edit-json.ts'
import { tomlEditor } from '../../packages/cli/src/hosts/edit-toml.ts'
import { HOSTS, type Host, type InstallableServer } from '../../packages/cli/src/hosts/hosts.ts'

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/get-started/connect-hosts.md', import.meta.url)), 'utf8')
const PROGRAM: InstallableServer = { command: 'node', args: ['/home/ann/notes/server.js', '--stdio'], env: {} }
const REMOTE: InstallableServer = { url: 'https://notes.example.com/mcp', headers: {} }
const PLATFORMS: ReadonlyArray<[NodeJS.Platform, string]> = [
  ['darwin', 'macOS'],
  ['linux', 'Linux'],
  ['win32', 'Windows'],
]

/** Returns the section of a host: the text up to the next heading. */
function sectionOf(title: string): string {
  const [, section] = PAGE.split(new RegExp(`^## ${title}$`, 'm'))
  return section?.split(/^## /m)[0] ?? ''
}

/** The path of the user's configuration on a platform, as a reader would write it. */
function fileOn(platform: NodeJS.Platform, { file }: Host): string {
  const system = { platform, env: { APPDATA: '%APPDATA%' }, home: platform === 'win32' ? '%USERPROFILE%' : '~' }
  return platform === 'win32' ? file(system).replaceAll('/', '\\') : file(system)
}

/** The configuration after both servers have been installed. */
async function configurationOf({ format, key, entry }: Host): Promise<string> {
  const editor = format === 'json' ? jsonEditor : tomlEditor
  let text = ''
  for (const [name, server] of Object.entries({ notes: PROGRAM, remote: REMOTE })) {
    const value = entry(server)
    if (value) text = await editor.put(text, { key, name }, value)
  }
  return text
}

describe.each(Object.values(HOSTS).map((host) => ({ ...host })))('$title', (host) => {
  const section = sectionOf(host.title)

  test('the page shows the entries that `portcall install` writes', async () => {
    expect(section).toContain(`\`\`\`${host.format}\n${await configurationOf(host)}\`\`\``)
  })

  test('the page names the file on each platform, and the file of a project', () => {
    for (const [platform, name] of PLATFORMS) {
      const row = section.split('\n').find((line) => new RegExp(`^\\|.*${name}.*\\|`).test(line))
      expect(row).toContain(`\`${fileOn(platform, host)}\``)
    }
    if (host.project) expect(section).toContain(`| project | \`${host.project}\` |`)
    else expect(section).not.toContain('| project |')
  })
})

test('the page names every host that `portcall install` knows', () => {
  const names = /^\| `--to HOST` \| (.*); repeatable \|$/m.exec(PAGE)?.[1] ?? ''
  expect(names.match(/[a-z-]+(?=`)/g)).toEqual(Object.keys(HOSTS))
})
