import type { Command } from './command.ts'

/** A command as the table knows it: what the help says, and where it is. */
export interface Listed {
  readonly summary: string
  load(): Promise<Command>
}

/** Every command. One is loaded when it is run, so that help costs nothing. */
export const COMMANDS: { readonly [name: string]: Listed } = {
  list: { summary: 'Shows what a server offers', load: async () => (await import('./commands/list.ts')).list },
  call: { summary: 'Calls a tool', load: async () => (await import('./commands/call.ts')).call },
  read: { summary: 'Reads a resource', load: async () => (await import('./commands/read.ts')).read },
  prompt: { summary: 'Gets a prompt', load: async () => (await import('./commands/prompt.ts')).prompt },
  complete: {
    summary: 'Suggests values for an argument of a prompt or a template',
    load: async () => (await import('./commands/complete.ts')).complete,
  },
  discover: {
    summary: 'Shows what a server says about itself',
    load: async () => (await import('./commands/discover.ts')).discover,
  },
  listen: { summary: 'Shows changes as they come', load: async () => (await import('./commands/listen.ts')).listen },
  tasks: { summary: 'Begins tasks, and looks after them', load: async () => (await import('./commands/tasks.ts')).tasks },
  serve: { summary: 'Serves a module', load: async () => (await import('./commands/serve.ts')).serve },
  login: { summary: 'Signs in to a server', load: async () => (await import('./commands/login.ts')).login },
  logout: { summary: 'Forgets the tokens for a server', load: async () => (await import('./commands/logout.ts')).logout },
  install: {
    summary: 'Puts a server into the configuration of other programs',
    load: async () => (await import('./commands/install.ts')).install,
  },
  uninstall: {
    summary: 'Takes a server out of the configuration of other programs',
    load: async () => (await import('./commands/uninstall.ts')).uninstall,
  },
  check: {
    summary: 'Looks for what hosts refuse or misunderstand',
    load: async () => (await import('./commands/check.ts')).check,
  },
  types: { summary: 'Writes the types of a client for a server', load: async () => (await import('./commands/types.ts')).types },
  new: { summary: 'Makes a project', load: async () => (await import('./commands/new.ts')).create },
  completion: {
    summary: 'Prints what a shell needs to complete words',
    load: async () => (await import('./commands/completion.ts')).completion,
  },
  raw: { summary: 'Sends any request', load: async () => (await import('./commands/raw.ts')).raw },
}
