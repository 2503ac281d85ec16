import type { JsonObject } from '../../jsonrpc/message.ts'
import { choice, count, flag, record, section, text, textOrTexts, texts } from './schema-parts.ts'

/** The schema of how the gateway authenticates to one server. */
export const SERVER_AUTH_SCHEMA: JsonObject = section(
  'How the gateway authenticates to a server with a URL. Default: `headers`, and the tokens of `portcall login`.',
  {
    type: choice(
      '`bearer`: with a token. `client-credentials`: with its own OAuth client. `token-exchange`: with a token that it gets in exchange for the token of the caller. `user`: with the account of each user, who signs in.',
      ['bearer', 'client-credentials', 'token-exchange', 'user'],
    ),
    token: text('The token, for `bearer`. Use a variable.', { minLength: 1 }),
    file: text('A file that contains the token, for `bearer`. If the server rejects the token, the file is read again.', {
      minLength: 1,
    }),
    issuer: text(
      'The URL of the authorization server. For `token-exchange`, it receives the tokens of callers. Default: the one in the metadata of the server.',
    ),
    clientId: text('The ID of the OAuth client. Default for `user`: the gateway registers itself.', { minLength: 1 }),
    clientSecret: text('The secret of the OAuth client. Use a variable.', { minLength: 1 }),
    clientName: text('The name that users see when they sign in.', { minLength: 1 }),
    scopes: texts('The scopes to request. Default: those that the server asks for.'),
    parameters: record('Additional parameters of the token request, for `token-exchange`.', { type: 'string' }),
  },
  { required: ['type'] },
)

const LOGIN_ISSUER = "The issuer of the users' access tokens, where they log in. Default: the first of `auth.issuers`."

/** The schema of how users connect their accounts. */
export const ACCOUNTS_SCHEMA: JsonObject = section('How users sign in to servers with `auth` of type `user`.', {
  origin: text(
    'The origin of the gateway in the browsers of users. Default: the origin of `auth.resource`, or the address where the gateway listens.',
  ),
  identify: {
    description:
      'How the gateway identifies the user who opens a link. Default with `auth.issuers`: the user logs in at the first of them. Required if `auth` has only API keys.',
    anyOf: [
      { const: 'insecure-any-browser', description: 'Everyone who opens a link may use it.' },
      section(
        'A header that a reverse proxy sets. It must overwrite what browsers send.',
        {
          header: text('The header that contains the name of the user.', { minLength: 1 }),
          issuer: text(LOGIN_ISSUER),
        },
        { required: ['header'] },
      ),
      section('A login at an issuer of the access tokens of callers. Its redirect URI is `/connect/login` at `origin`.', {
        issuer: text(LOGIN_ISSUER),
        clientId: text('The OAuth client ID of the gateway. Default: the gateway registers itself.', { minLength: 1 }),
        clientSecret: text('The secret of this client. Use a variable.', { minLength: 1 }),
        clientMetadataUrl: text('The https URL of a client ID metadata document, in place of a client ID.', { minLength: 1 }),
        scopes: texts('The scopes to request. Default: none are named.'),
      }),
    ],
  },
  tool: {
    description: 'The name of the tool that lets users sign in; `false` removes it. Default: `connect_account`.',
    anyOf: [{ const: false }, { type: 'string', minLength: 1 }],
  },
  signInTtlMs: count('How long a link is valid, in milliseconds. Default: 600000.', { minimum: 1 }),
  waitTimeoutMs: count('How long a call waits for the user to sign in, in milliseconds. Default: 300000.', { minimum: 1 }),
})

/** The schema of search in tools. */
export const SEARCH_SCHEMA: JsonObject = {
  description: 'Replaces the list of tools by three tools, which search, describe and call the others. Default: false.',
  anyOf: [
    flag('Lists the three tools.'),
    section('Lists the three tools, with settings.', {
      always: texts('Tools to list in addition to the three. Patterns may contain `*`.'),
      limit: count('How many tools a search returns. Default: 5.', { minimum: 1, maximum: 25 }),
    }),
  ],
}

const VALUE = 'The value of the argument in every call. Clients do not see the argument.'

/** The schema of the sets of tools. */
export const SETS_SCHEMA: JsonObject = record(
  'Sets of tools. Clients connect to a set at `/mcp/NAME`; with `--set NAME`, the gateway offers only this set. Use the names that the gateway lists; patterns may contain `*`.',
  section('A set of tools.', {
    tools: textOrTexts('The tools. Default: all.'),
    exclude: textOrTexts('Tools to leave out.'),
    prompts: textOrTexts('The prompts. Default: all.'),
    resources: textOrTexts('The resources and resource templates, by URI. Default: all.'),
    events: textOrTexts('The event types. Default: all.'),
    search: SEARCH_SCHEMA,
    changes: record(
      'Changes to tools, by name.',
      section('A change.', {
        name: text('The new name.', { minLength: 1 }),
        title: text('The new title.'),
        description: text('The new description.'),
        arguments: record(
          'Changes to arguments, by name.',
          section(
            'A change of an argument: `fixed` or `hidden`.',
            {
              fixed: { description: VALUE },
              hidden: { const: true, description: 'Clients do not see the argument, and it is never sent.' },
            },
            { minProperties: 1, maxProperties: 1 },
          ),
        ),
      }),
    ),
  }),
)
