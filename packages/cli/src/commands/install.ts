import { usageError } from '../cli-error.ts'
import { type Command, defineCommand, type ServerArgument } from '../command.ts'
import { CONNECTION_FLAGS } from '../command-line/flags.ts'
import { CHANGE_FLAGS, changeConfigs, HOST_CHOICES, type OpenConfig, printChanges } from '../hosts/change-configs.ts'
import { describeGateway } from '../hosts/gateway-entry.ts'
import { currentSystem, type InstallableServer } from '../hosts/hosts.ts'
import { adaptToSystem, describeServer } from '../hosts/installable-server.ts'

/** `portcall install` */
export const installCommand: Command = defineCommand({
  name: 'install',
  summary: 'Add a server to the configuration of MCP hosts',
  serverUse: 'locate',
  args: [],
  details: [
    'Changes only the entry of the server, and preserves comments and everything else. The file is replaced atomically, and a backup is written next to it. A file that cannot be parsed is not changed.',
    'Hosts start programs in a directory of their own. Paths become absolute, package managers get the directory of the project (npm --prefix), and binaries of node_modules are started by their path. A program whose files are missing is refused.',
  ],
  choices: [HOST_CHOICES],
  flags: {
    ...CHANGE_FLAGS,
    name: {
      type: 'string',
      short: 'n',
      value: 'NAME',
      description: 'Name of the server in the configuration (default for file:name: that name)',
    },
    force: { type: 'boolean', description: 'Replace another server of the same name, and add a server that seems not to work' },
    gateway: {
      type: 'boolean',
      description:
        'The server is the configuration file of a gateway: install one entry for all its servers (default name: gateway)',
    },
    env: CONNECTION_FLAGS.env,
    header: CONNECTION_FLAGS.header,
    cwd: CONNECTION_FLAGS.cwd,
  },
  examples: [
    'portcall install --name notes --to cursor --to vscode -- npx -y notes-server',
    'portcall install https://api.example.com/mcp --name api --to claude-code --dry-run',
    'portcall install server.js --name mine --to claude-desktop',
    'portcall install gateway.jsonc --gateway --to cursor',
  ],
  async run({ server, flags, io }) {
    const name = flags.name ?? (flags.gateway ? 'gateway' : nameOf(server))
    const described = flags.gateway ? describeGateway(server, flags) : await describeServer(server, flags)
    // A project is shared with people on other systems.
    const installable = flags.project ? described : adaptToSystem(described, currentSystem())
    const changes = await changeConfigs(flags, name, (config) => putEntry(config, installable, flags.force))
    printChanges(changes, { isDryRun: flags['dry-run'], unchanged: 'no changes to' }, io)
  },
})

async function putEntry(config: OpenConfig, server: InstallableServer, isForced: boolean): Promise<string> {
  const { host, location, file, text, editor } = config
  const entry = host.entry(server)
  if (!entry)
    throw usageError(`${host.title} supports only programs, not URLs`, 'install a bridge: -- npx -y portcall bridge URL')
  const existing = await editor.read(text, location)
  if (JSON.stringify(existing) === JSON.stringify(entry)) return text
  if (existing !== undefined && !isForced)
    throw usageError(`${file} has another server named ${location.name}`, 'replace it with --force')
  return editor.put(text, location, entry)
}

/** Returns the name of a server of a configuration file. */
function nameOf(server: ServerArgument): string {
  const [, name] = ('location' in server && /\.jsonc?:([^:]+)$/.exec(server.location)) || []
  if (name === undefined) throw usageError('--name NAME is missing', 'the name of the server in the configuration of the host')
  return name
}
