/** Generated from test/hosts/recording.json by `npm run hosts -- --write`. */

/** The observed behavior of a host. Members are missing where no limit was found. */
export interface MeasuredHost {
  readonly host: string
  /** The npm package of the program, with its version. */
  readonly program: string
  /** The day on which it ran. */
  readonly checked: string
  /** The name that the model sees, such as `mcp__SERVER__TOOL`, the longest that stays whole, and what happens to longer ones. */
  readonly name?: { readonly form: string; readonly most: number; readonly effect: 'changes' | 'refuses' }
  /** The characters of names that stay, besides letters and digits. */
  readonly nameCharacters?: { readonly kept: string; readonly effect: 'changes' | 'refuses' }
  /** The same of names of arguments. */
  readonly argumentNames?: { readonly kept: string; readonly most?: number; readonly effect: 'changes' | 'refuses' }
  /** The arguments that it adds to each tool, and sends to the server. */
  readonly addedArguments?: readonly string[]
  /** The longest description of a tool that stays whole. */
  readonly description?: number
  /** The longest description of an argument. */
  readonly argumentDescription?: number
  /** The longest instructions of a server. */
  readonly instructions?: number
  /** The longest text of a result. */
  readonly result?: number
  /** How many tools the model gets. */
  readonly tools?: number
  /** The keywords at the root of an input schema with which the tool is missing. */
  readonly rootRefused?: readonly string[]
  /** The keywords at the root of an input schema that the model does not see. */
  readonly rootChanged?: readonly string[]
  /** The keywords that, in place of `properties`, make a schema that accepts no arguments. */
  readonly rootBroken?: readonly string[]
  /** The keywords of arguments that the model does not see. */
  readonly keywordsLost?: readonly string[]
  /** The parts of a result with structured content and other content that the model sees: text, images, and the reason of a failure. */
  readonly withStructured: {
    readonly parts: readonly ('text' | 'structured')[]
    readonly image: boolean
    readonly reason: boolean
  }
}

/** The hosts that were run. */
export const MEASURED_HOSTS: readonly MeasuredHost[] = [
  {
    host: 'Claude Code',
    program: '@anthropic-ai/claude-code@2.1.332',
    checked: '27 Nov 2026',
    name: {
      form: 'mcp__SERVER__TOOL',
      most: 128,
      effect: 'refuses',
    },
    nameCharacters: {
      kept: '-_',
      effect: 'changes',
    },
    argumentNames: {
      kept: '-._',
      most: 64,
      effect: 'refuses',
    },
    description: 4096,
    instructions: 4096,
    result: 50000,
    rootChanged: ['anyOf', 'oneOf', 'allOf'],
    withStructured: {
      parts: ['structured'],
      image: true,
      reason: true,
    },
  },
  {
    host: 'Codex',
    program: '@openai/codex@0.171.0',
    checked: '27 Nov 2026',
    name: {
      form: 'mcp__SERVER__TOOL',
      most: 128,
      effect: 'changes',
    },
    nameCharacters: {
      kept: '_',
      effect: 'changes',
    },
    argumentDescription: 4097,
    result: 10000,
    rootChanged: [
      'not',
      'if',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
      'dependentRequired',
      'unevaluatedProperties',
    ],
    keywordsLost: [
      'not',
      'default',
      'pattern',
      'format',
      'minLength',
      'maxLength',
      'minimum',
      'maximum',
      'exclusiveMinimum',
      'exclusiveMaximum',
      'multipleOf',
      'maxItems',
      'uniqueItems',
      'prefixItems',
      'contains',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
      'dependentRequired',
      'unevaluatedProperties',
      'if',
    ],
    withStructured: {
      parts: ['structured'],
      image: false,
      reason: false,
    },
  },
  {
    host: 'Gemini CLI',
    program: '@google/gemini-cli@0.61.0',
    checked: '27 Nov 2026',
    name: {
      form: 'mcp_SERVER_TOOL',
      most: 63,
      effect: 'changes',
    },
    nameCharacters: {
      kept: '-.:_',
      effect: 'changes',
    },
    addedArguments: ['wait_for_previous'],
    result: 30000,
    withStructured: {
      parts: ['text'],
      image: true,
      reason: true,
    },
  },
  {
    host: 'opencode',
    program: 'opencode-ai@1.18.33',
    checked: '27 Nov 2026',
    nameCharacters: {
      kept: '-_',
      effect: 'changes',
    },
    result: 50000,
    rootBroken: ['anyOf', 'oneOf', 'allOf'],
    withStructured: {
      parts: ['text'],
      image: true,
      reason: true,
    },
  },
]
