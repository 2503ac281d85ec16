/** A call of a tool: what to type into its form, and what the result shows. */
export interface ToolCall {
  readonly tool: string
  readonly fill?: Readonly<Record<string, string>>
  readonly shows: string
}

/** A tool that asks, with what to type into the question. */
export interface AskingCall extends ToolCall {
  readonly answer: Readonly<Record<string, string>>
}

/** The words for the items of a server. */
export interface Vocabulary {
  readonly form: ToolCall
  readonly structured: ToolCall
  /** A tool whose structured content is an array, which older revisions wrap. */
  readonly array?: Omit<ToolCall, 'shows'>
  readonly progress: ToolCall
  /** A tool that runs until it is cancelled. */
  readonly wait: Omit<ToolCall, 'shows'>
  readonly log: ToolCall & { readonly line: string }
  readonly elicit: AskingCall
  readonly elicitUrl: ToolCall
  readonly sample: ToolCall
  readonly roots: ToolCall
  readonly task: AskingCall
  readonly resource: { readonly item: string; readonly shows: string | RegExp }
  readonly template: {
    readonly item: string
    readonly variable: string
    readonly typed: string
    /** The suggestion of the server; absent if that is only what was typed. */
    readonly option?: string
    readonly uri: string
    readonly shows: string | RegExp
  }
  readonly prompt: {
    readonly item: string
    readonly fill: Readonly<Record<string, string>>
    readonly shows: string
  }
  /** Changes the resource that `template` makes with the value `of`. */
  readonly change: ToolCall & { readonly of: string }
  /** The tool that `change` adds. */
  readonly added: string
}

/** The fixture, and the servers of `test/interop`. */
export const MEMO: Vocabulary = {
  form: { tool: 'add', fill: { a: '40', b: '2' }, shows: '42' },
  structured: { tool: 'add', fill: { a: '1', b: '2' }, shows: 'sum' },
  array: { tool: 'numbers' },
  progress: { tool: 'count', shows: 'counted' },
  wait: { tool: 'wait' },
  log: { tool: 'chat', shows: 'chatted', line: 'loud' },
  elicit: { tool: 'greet', answer: { name: 'Ada', age: '36' }, shows: 'Hello Ada, 36' },
  elicitUrl: { tool: 'visit', shows: 'visited' },
  sample: { tool: 'think', shows: 'Masts against the sky' },
  roots: { tool: 'where', shows: 'file:///tmp/project' },
  task: { tool: 'print', answer: { color: 'blue' }, shows: 'Printed in blue' },
  resource: { item: 'logo', shows: /logo|image\/png/ },
  template: { item: 'memo', variable: 'name', typed: 'al', option: 'alpha', uri: 'memo://alpha', shows: /alpha v\d/ },
  prompt: { item: 'review', fill: { code: 'x = 1' }, shows: 'Review x = 1' },
  change: { tool: 'change', shows: 'changed', of: 'a' },
  added: 'late',
}

/** https://www.npmjs.com/package/@modelcontextprotocol/server-everything */
export const EVERYTHING: Vocabulary = {
  form: { tool: 'get-sum', fill: { a: '40', b: '2' }, shows: 'is 42' },
  structured: { tool: 'get-structured-content', fill: { location: 'Chicago' }, shows: 'temperature' },
  progress: { tool: 'trigger-long-running-operation', fill: { duration: '0.3', steps: '3' }, shows: 'completed' },
  wait: { tool: 'trigger-long-running-operation', fill: { duration: '60', steps: '600' } },
  log: { tool: 'toggle-simulated-logging', shows: 'logging', line: 'message' },
  elicit: { tool: 'trigger-elicitation-request', answer: { name: 'Ada' }, shows: 'Name: Ada' },
  elicitUrl: { tool: 'trigger-url-elicitation', fill: { url: 'https://example.com/page' }, shows: 'completed' },
  sample: { tool: 'trigger-sampling-request', fill: { prompt: 'hi' }, shows: 'Masts against the sky' },
  roots: { tool: 'get-roots-list', shows: 'file:///tmp/project' },
  task: {
    tool: 'simulate-research-query',
    fill: { topic: 'python', ambiguous: 'true' },
    answer: { interpretation: 'Python snake species' },
    shows: 'python (snake)',
  },
  resource: { item: 'architecture.md', shows: /# / },
  template: {
    item: 'Dynamic Text Resource',
    variable: 'resourceId',
    typed: '7',
    uri: 'demo://resource/dynamic/text/7',
    shows: /Resource 7/,
  },
  prompt: { item: 'args-prompt', fill: { city: 'Oslo' }, shows: 'Oslo' },
  change: { tool: 'toggle-subscriber-updates', shows: 'updates', of: '7' },
  added: '',
}
