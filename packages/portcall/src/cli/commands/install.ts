import { type Command, defineCommand, type TargetWords } from '../command.ts'
import { CONNECTION } from '../grammar/flags.ts'
import { changeHosts, type Opened, tellChanges } from '../hosts/apply.ts'
import { CHANGE } from '../hosts/change-flags.ts'
import { describe } from '../hosts/describe.ts'
import { HOSTS, type Installed } from '../hosts/hosts.ts'
import { misused } from '../stop.ts'

/** `portcall install`: puts a server into the configurations of other programs. */
export const install: Command = defineCommand({
  name: 'install',
  summary: 'Puts a server into the configuration of other programs',
  takes: 'place',
  words: [],
  details: [
    `HOST is one of ${Object.keys(HOSTS).join(', ')}. Only the one entry is written: comments and all else stay. The file is
written whole or not at all, and a backup stays beside it. What cannot be read is not touched.`,
  ],
  flags: {
    ...CHANGE,
    name: {
      type: 'string',
      short: 'n',
      value: 'NAME',
      description: 'The name of the server there; for FILE:NAME it is that name',
    },
    force: { type: 'boolean', description: 'Write over another server of the same name' },
    env: CONNECTION.env,
    header: CONNECTION.header,
    cwd: CONNECTION.cwd,
  },
  examples: [
    'portcall install --name notes --to cursor --to vscode -- npx -y notes-server',
    'portcall install https://api.example.com/mcp --name api --to claude-code --dry-run',
    'portcall install server.js --name mine --to claude-desktop',
  ],
  async run({ target, flags, io }) {
    const name = flags.name ?? nameOf(target)
    const server = await describe(target, flags)
    const done = await changeHosts(flags, name, (opened) => put(opened, server, flags.force))
    tellChanges(done, flags['dry-run'], io)
  },
})

async function put({ host, place, file, text, editor }: Opened, server: Installed, isForced: boolean): Promise<string> {
  const entry = host.entry(server)
  if (!entry) throw misused(`${host.title} starts programs only, it cannot be given a URL`)
  const before = await editor.read(text, place)
  if (JSON.stringify(before) === JSON.stringify(entry)) return text
  if (before !== undefined && !isForced) throw misused(`${file} has another server ${place.name}`, 'write over it with --force')
  return editor.put(text, place, entry)
}

/** The name of a server in the configuration that it comes from. */
function nameOf(target: TargetWords): string {
  const [, name] = ('word' in target && /\.jsonc?:([^:]+)$/.exec(target.word)) || []
  if (name === undefined) throw misused('say how the server is to be called: --name NAME')
  return name
}
