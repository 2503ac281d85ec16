import type { JsonObject } from '../../jsonrpc/message.ts'
import { VIEW_PERMISSIONS } from '../../protocol/apps.ts'
import { PINNED_KINDS } from '../policy/pin-lock.ts'
import { choice, count, flag, record, section, text, textOrTexts, texts } from './schema-parts.ts'

const ACTIONS = ['allow', 'approve', 'deny']
const VALUE: JsonObject = { type: ['string', 'number', 'boolean', 'null'] }
const VALUES: JsonObject = { anyOf: [VALUE, { type: 'array', items: VALUE }] }

const CALLER: JsonObject = {
  principals: textOrTexts('Callers, by their principal: `ISSUER#SUBJECT` for access tokens, `api-key#SUBJECT` for API keys.'),
  scopes: textOrTexts('Callers that have all of these scopes.'),
  claims: record('Callers whose claim has one of these values, by claim.', VALUES),
}

const TARGET: JsonObject = {
  servers: textOrTexts('Servers, by their name in the configuration. Default: all.'),
  tools: textOrTexts('Tools, by their name on the server. Without `servers`, a pattern begins with the server: `crm__delete_*`.'),
  prompts: textOrTexts('Prompts, as with `tools`.'),
  resources: textOrTexts('Resources and resource templates, by URI.'),
  events: textOrTexts('Event types, as with `tools`.'),
  ...CALLER,
  unless: section('Callers that the rule or limit does not apply to.', CALLER, { minProperties: 1 }),
}

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']

const RULE = section(
  'A rule. It matches a request if all its conditions hold. Patterns may contain `*`.',
  {
    do: choice('What happens to the requests that match.', ACTIONS),
    name: text('The name of the rule in the audit log. Default: its position, such as `rule 2`.'),
    ...TARGET,
    annotations: section(
      'Hints of a tool. Such a rule can only make the decision stricter.',
      Object.fromEntries(HINTS.map((hint) => [hint, flag(`The hint \`${hint}\`.`)])),
    ),
    arguments: record(
      'Conditions for arguments, by name or JSON Pointer: a value, a list of values, `{ "not": … }`, or `{ "min": …, "max": … }`.',
      {
        anyOf: [
          VALUE,
          { type: 'array', items: VALUE },
          {
            type: 'object',
            properties: {
              not: { ...VALUES, description: 'Values that the argument must not have.' },
              min: { type: 'number', description: 'The smallest number that matches.' },
              max: { type: 'number', description: 'The largest number that matches.' },
            },
            additionalProperties: false,
          },
        ],
      },
    ),
  },
  { required: ['do'] },
)

const LIMIT = section('A limit. It applies to the calls, reads and prompts that all its conditions hold for.', {
  name: text('The name of the limit, unique in the store. Default: its position, such as `limit 2`.'),
  ...TARGET,
  per: {
    type: 'array',
    items: { enum: ['principal', 'server', 'item'] },
    description: 'What is counted together: `principal`, `server`, `item`, or a combination. Default: `["principal"]`.',
  },
  rate: section(
    'How many requests may be sent in an interval.',
    {
      limit: count('The number of requests.', { minimum: 1 }),
      intervalMs: count('The interval, in milliseconds.', { minimum: 1 }),
    },
    { required: ['limit', 'intervalMs'] },
  ),
  concurrency: section(
    'How many requests may run at once. Processes that share a `store` count together.',
    {
      limit: count('The number of requests.', { minimum: 1 }),
      maxQueued: count('How many further requests may wait. Default: 0.'),
      queueTimeoutMs: count('How long they wait, in milliseconds.'),
    },
    { required: ['limit'] },
  ),
  timeoutMs: count('How long a request may take, in milliseconds.', { minimum: 1 }),
  maxResultBytes: count('The maximum size of a result as JSON, in bytes.', { minimum: 1 }),
  exceeded: choice(
    'What happens to larger results: `error` replaces them by an error, `cut` shortens their text, `link` replaces them by a link to a resource. Default: `error`.',
    ['error', 'cut', 'link'],
  ),
})

/** The schemas of the keys for rules, pins, limits, the audit log and views. */
export const POLICY_SCHEMAS: { readonly [key in 'policy' | 'pins' | 'limits' | 'audit' | 'views']: JsonObject } = {
  policy: section(
    'Rules that allow or deny requests, or require approval. Of the rules that match, the strictest decides.',
    {
      default: choice('What happens to requests that no rule matches.', ACTIONS),
      rules: { type: 'array', items: RULE, description: 'The rules. Default: none.' },
      approvals: section('How calls are approved.', {
        askUser: flag('Asks the user, if the client supports form elicitation. Default: true.'),
        queue: flag(
          'Queues calls that the user cannot be asked about, until you decide with `portcall gateway approvals`. If false, such calls fail. Default: true.',
        ),
        ttlMs: count('How long the user has to answer, in milliseconds. Default: 300000.', { minimum: 1 }),
        queueTtlMs: count(
          'How long a call waits in the queue, and how long a decision is valid, in milliseconds. Default: 3600000.',
          {
            minimum: 1,
          },
        ),
      }),
    },
    { required: ['default'] },
  ),
  pins: {
    description:
      'Compares the instructions and definitions of servers with those recorded in a lock file: `block` hides changed ones until you accept them with `portcall gateway --accept`, `warn` only logs them. Default: `off`.',
    anyOf: [
      choice('The mode.', ['block', 'warn', 'off']),
      section('The mode and the lock file.', {
        mode: choice('`block` or `warn`. Default: `block`.', ['block', 'warn']),
        lock: text(
          'The lock file, or `store` for the store of the gateway. Default: `portcall.lock` next to the configuration.',
          {
            minLength: 1,
          },
        ),
        firstUse: choice(
          'What happens to a server without pins: `pin` records its definitions, `withhold` hides them until you accept them. Default: `pin`.',
          ['pin', 'withhold'],
        ),
        kinds: {
          type: 'array',
          items: choice('A kind.', [...PINNED_KINDS]),
          description: 'The kinds of definitions to pin. Leave `resource` out if lists of resources change often. Default: all.',
        },
      }),
    ],
  },
  limits: {
    type: 'array',
    items: LIMIT,
    description: 'Limits of rate, concurrency, time and size. Every limit that matches a request applies.',
  },
  audit: {
    description: 'The audit log: a file with one line of JSON for each request. Secrets are removed.',
    anyOf: [
      text('The file, or `store` for the store of the gateway, which processes on several machines can share.', { minLength: 1 }),
      section(
        'The file, and what is recorded.',
        {
          file: text('The file, or `store` for the store of the gateway.', { minLength: 1 }),
          arguments: flag('Records the arguments, with secrets removed. Default: only their hash.'),
          redact: section('Further secrets to remove.', {
            fields: texts('Names of fields whose values are secrets.'),
            patterns: texts('Regular expressions of secrets in text.'),
          }),
          onFailure: choice('What happens to a request that cannot be recorded: `refuse` fails it. Default: `refuse`.', [
            'refuse',
            'continue',
          ]),
        },
        { required: ['file'] },
      ),
    ],
  },
  views: section(
    'Removes origins and browser features from what views declare. A list that is absent changes nothing; an empty one allows nothing.',
    {
      servers: texts('The servers whose views are narrowed, by their name in the configuration. Default: all.'),
      connectDomains: texts('Origins of requests. `https://*.example.com` stands for all hosts below `example.com`.'),
      resourceDomains: texts('Origins of scripts, styles, images, fonts and media.'),
      frameDomains: texts('Origins of nested frames.'),
      baseUriDomains: texts('Origins that the `base` element may name.'),
      redirectDomains: texts('Origins that views in ChatGPT may open links to without a question.'),
      permissions: {
        type: 'array',
        items: choice('A browser feature.', [...VIEW_PERMISSIONS]),
        description: 'Browser features.',
      },
    },
  ),
}
