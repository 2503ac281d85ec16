import type { Command } from './command.ts'

/** A command in the table: its summary, and how to load it. */
export interface CommandEntry {
  readonly summary: string
  load(): Promise<Command>
}

/** All commands. A command is loaded only when it is run. */
export const COMMANDS: { readonly [name: string]: CommandEntry } = {
  list: {
    summary: 'List tools, resources and prompts',
    load: async () => (await import('./commands/list.ts')).listCommand,
  },
  call: { summary: 'Call a tool', load: async () => (await import('./commands/call.ts')).callCommand },
  read: { summary: 'Read a resource', load: async () => (await import('./commands/read.ts')).readCommand },
  prompt: { summary: 'Get a prompt', load: async () => (await import('./commands/prompt.ts')).promptCommand },
  complete: {
    summary: 'Complete an argument of a prompt or resource template',
    load: async () => (await import('./commands/complete.ts')).completeCommand,
  },
  discover: {
    summary: 'Show server info and capabilities, or the servers of a domain',
    load: async () => (await import('./commands/discover.ts')).discoverCommand,
  },
  listen: {
    summary: 'Watch for change notifications',
    load: async () => (await import('./commands/listen.ts')).listenCommand,
  },
  bench: {
    summary: 'Measure the throughput and latency of a server',
    load: async () => (await import('./commands/bench.ts')).benchCommand,
  },
  events: {
    summary: 'List event types, and receive events',
    load: async () => (await import('./commands/events.ts')).eventsCommand,
  },
  tasks: { summary: 'Start and manage tasks', load: async () => (await import('./commands/tasks.ts')).tasksCommand },
  serve: {
    summary: 'Serve a module over HTTP or stdio',
    load: async () => (await import('./commands/serve.ts')).serveCommand,
  },
  build: {
    summary: 'Bundle the views of tools, each into one page',
    load: async () => (await import('./commands/build.ts')).buildCommand,
  },
  apps: {
    summary: 'Test and preview the views of tools in a browser',
    load: async () => (await import('./commands/apps.ts')).appsCommand,
  },
  openapi: {
    summary: 'Serve the API of an OpenAPI description',
    load: async () => (await import('./commands/openapi.ts')).openapiCommand,
  },
  bridge: {
    summary: 'Connect any host to any server',
    load: async () => (await import('./commands/bridge.ts')).bridgeCommand,
  },
  gateway: {
    summary: 'Serve many servers as one',
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand,
  },
  inspect: {
    summary: 'Open the inspector: use, watch and debug servers in the browser',
    load: async () => (await import('./commands/inspect.ts')).inspectCommand,
  },
  login: { summary: 'Sign in to a server', load: async () => (await import('./commands/login.ts')).loginCommand },
  logout: { summary: 'Delete the tokens of a server', load: async () => (await import('./commands/logout.ts')).logoutCommand },
  install: {
    summary: 'Add a server to the configuration of MCP hosts',
    load: async () => (await import('./commands/install.ts')).installCommand,
  },
  uninstall: {
    summary: 'Remove a server from the configuration of MCP hosts',
    load: async () => (await import('./commands/uninstall.ts')).uninstallCommand,
  },
  check: {
    summary: 'Lint a server for host compatibility',
    load: async () => (await import('./commands/check.ts')).checkCommand,
  },
  doctor: {
    summary: 'Find out why a server does not work',
    load: async () => (await import('./commands/doctor.ts')).doctorCommand,
  },
  record: {
    summary: 'Record the messages between a host and a server',
    load: async () => (await import('./commands/record.ts')).recordCommand,
  },
  replay: {
    summary: 'Send recorded requests again, or serve a recording',
    load: async () => (await import('./commands/replay.ts')).replayCommand,
  },
  diff: {
    summary: 'Compare two servers, versions, snapshots or recordings',
    load: async () => (await import('./commands/diff.ts')).diffCommand,
  },
  snapshot: {
    summary: 'Save the tools, resources and prompts of a server in a file',
    load: async () => (await import('./commands/snapshot.ts')).snapshotCommand,
  },
  types: {
    summary: 'Generate TypeScript types from a server',
    load: async () => (await import('./commands/types.ts')).typesCommand,
  },
  generate: {
    summary: 'Generate a typed module with a function for each tool',
    load: async () => (await import('./commands/types.ts')).generateCommand,
  },
  new: { summary: 'Create a project', load: async () => (await import('./commands/new.ts')).newCommand },
  completion: {
    summary: 'Print a shell completion script',
    load: async () => (await import('./commands/completion.ts')).completionCommand,
  },
  audit: { summary: 'Verify an audit log', load: async () => (await import('./commands/audit.ts')).auditCommand },
  raw: { summary: 'Send a raw request', load: async () => (await import('./commands/raw.ts')).rawCommand },
}
