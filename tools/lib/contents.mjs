/**
 * The table of contents of the documentation, in reading order. The sidebar of the site, docs/README.md and llms.txt are made from it.
 * Each section has a title, the folder below docs/, and its pages as `[file name without .md, title, description]`.
 */
export const SECTIONS = [
  {
    title: 'Get started',
    folder: 'get-started',
    pages: [
      ['introduction', 'Introduction', 'what MCP is, and what Portcall does for you'],
      ['installation', 'Installation', 'requirements, the package, and its entry points'],
      ['first-server', 'Quick start: server', 'from an empty folder to a server with tools, resources, prompts and elicitation'],
      ['first-client', 'Quick start: client', 'connect, list, call, read and answer input requests'],
      ['connect-hosts', 'Connect to Claude, Cursor, VS Code …', 'add your server to an MCP host, step by step'],
      ['how-it-works', 'How it works', 'one definition, every protocol version, with a diagram'],
    ],
  },
  {
    title: 'Servers',
    folder: 'servers',
    pages: [
      ['overview', 'Overview', 'the parts of a server, its options, and the call context of handlers'],
      ['tools', 'Tools', 'input, output, results, timeouts, headers, visibility'],
      ['schema-libraries', 'Schema libraries', 'Zod, Valibot, ArkType, TypeBox or plain JSON Schema'],
      ['resources', 'Resources', 'fixed resources, URI templates, path safety'],
      ['prompts', 'Prompts', 'reusable messages with arguments'],
      ['completion', 'Completion', 'suggest values for the arguments of prompts and templates'],
      [
        'elicitation-sampling-roots',
        'Elicitation, sampling and roots',
        'input from the user, the model or the client during a call',
      ],
      ['progress-logging-cancellation', 'Progress, logging and cancellation', 'report on slow calls, and stop them'],
      ['tasks', 'Background tasks', 'calls that survive lost connections and restarts'],
      ['subscriptions', 'Notifications and subscriptions', 'notify clients of changes'],
      ['events', 'Events', 'tell clients what happens: polls, streams and webhooks'],
      ['middleware', 'Middleware', 'run code around every request'],
      ['composition', 'Composing servers', 'mount servers, and change what they offer: rename, hide, set arguments, versions'],
      ['large-tool-sets', 'Large tool sets', 'search instead of a long list, and programs that call tools'],
      ['server-card', 'Server card', 'let clients find your server by your domain'],
      ['error-handling', 'Error handling', 'report errors to the model, to the client and to yourself'],
    ],
  },
  {
    title: 'Clients',
    folder: 'clients',
    pages: [
      ['overview', 'Overview', 'connect, options, status and closing'],
      ['discovery', 'Connect by domain', 'find a server by the catalog and the server card of its domain'],
      ['calling-tools', 'Calling tools', 'call tools, read resources, get prompts, and infer types from a server'],
      ['server-requests', 'Handling server requests', 'answer elicitation, sampling and roots requests'],
      ['events', 'Receiving events', 'subscribe to events by stream, poll or webhook'],
      ['timeouts-retries', 'Timeouts and retries', 'time limits, cancellation, errors and automatic recovery'],
      ['caching', 'Caching', 'what the client caches, and for how long'],
      ['multiple-servers', 'Connecting to multiple servers', 'all servers of an `mcp.json`'],
      ['agents', 'Agents', 'tools for the AI SDK, OpenAI, Anthropic and LangChain'],
    ],
  },
  {
    title: 'Gateway',
    folder: 'gateway',
    pages: [
      ['overview', 'Gateways', 'many servers as one: a gateway in five minutes, and how to operate it'],
      ['bridge', 'Connect any host to any server', 'one server over another transport, with the entry for each host'],
      ['credentials', 'Credentials', 'the account that each user, or the whole gateway, has at each server'],
      ['policy', 'Policy', 'rules, approvals, pinned definitions, limits and the audit log'],
      ['channels', 'Channels of Claude Code', 'events of your servers as messages in a session of Claude Code'],
      ['configuration', 'Gateway configuration', 'every key of the configuration, variables and stores'],
    ],
  },
  {
    title: 'Apps',
    folder: 'apps',
    pages: [
      ['first-app', 'Your first app', 'from an empty folder to a view that is tested in the hosts'],
      ['server', 'Views of tools', 'show a page in the conversation, with the result of a tool'],
      ['described', 'Views without code', 'tables, charts, forms, questions and approvals, described in options'],
      ['views', 'The page of a view', "read the result, call tools, follow the host's theme and size"],
      ['host', 'Show views in your page', 'show the views of tools in a web page of your own'],
      ['testing', 'Test a view', 'find out why a frame is empty, before your users do'],
    ],
  },
  {
    title: 'Authorization',
    folder: 'authorization',
    pages: [
      ['overview', 'Overview', 'how authorization works in MCP, and which page you need'],
      ['protect-a-server', 'Protect a server', 'verify access tokens and require scopes'],
      ['api-keys', 'API keys', 'accept keys instead of OAuth access tokens'],
      ['oauth-proxy', 'OAuth proxy', 'put an identity provider without MCP support in front of your server'],
      ['identity-providers', 'Identity providers', 'Auth0, Microsoft Entra ID, Google, Keycloak, Amazon Cognito'],
      ['client-sign-in', 'Client sign-in', 'obtain access tokens for users'],
      ['machine-to-machine', 'Machine-to-machine', 'access tokens for services without a user'],
    ],
  },
  {
    title: 'Deployment',
    folder: 'deployment',
    pages: [
      ['node', 'Node.js', 'serve over HTTP with Node'],
      ['docker', 'Docker', 'a small image with a health check and a graceful shutdown'],
      ['deployment-files', 'Deployment files', 'Compose, Kubernetes, systemd, nginx, Caddy, Prometheus'],
      ['express', 'Express', 'mount a server in an Express app'],
      ['fastify', 'Fastify', 'mount a server in a Fastify app'],
      ['koa', 'Koa', 'mount a server in a Koa app'],
      ['hono', 'Hono', 'mount a server in a Hono app'],
      ['nextjs', 'Next.js', 'a route handler for a server'],
      ['cloudflare-workers', 'Cloudflare Workers', 'serve from a Worker'],
      ['bun-deno', 'Bun and Deno', 'serve with other runtimes'],
      ['serverless', 'Serverless', 'AWS Lambda, Vercel, Netlify, Google Cloud Run'],
      ['scaling', 'Scaling out', 'run several processes: choosing a store, cost, node failure'],
      ['storage', 'Storage', 'memory, SQLite, Redis, PostgreSQL'],
      ['observability', 'Observability', 'logs, metrics and traces: pino, winston, Prometheus, OpenTelemetry'],
      ['production-checklist', 'Production checklist', 'what to set before you go live'],
    ],
  },
  {
    title: 'Tools',
    folder: 'tools',
    pages: [
      ['testing', 'Testing', 'tests for your servers and clients'],
      ['openapi', 'OpenAPI', 'serve the operations of an API as tools'],
      ['inspector', 'Inspector', 'use, watch and debug servers in the browser'],
      ['cli', 'Command-line interface', 'use, serve and check servers from a shell'],
      ['doctor', 'Doctor', 'find out why a server does not work, or why users cannot sign in'],
      ['record-replay', 'Record, replay and compare', 'sessions as files, and the differences between servers'],
    ],
  },
  {
    title: 'Extend',
    folder: 'extend',
    pages: [
      ['extensions', 'Extensions', 'write protocol extensions for servers and clients'],
      ['skills', 'Skills', 'instructions for models, with their files'],
      ['custom-backends', 'Custom stores, transports and task queues', 'implement the interfaces that Portcall builds on'],
    ],
  },
  {
    title: 'Migration',
    folder: 'migration',
    pages: [
      ['sdk-1', 'From the official SDK 1.x', 'the same server and client, before and after'],
      ['sdk-2', 'From the official SDK 2.x', 'the same server and client, before and after'],
      ['fastmcp', 'From fastmcp', 'the same server, before and after'],
    ],
  },
  {
    title: 'Reference',
    folder: 'reference',
    pages: [
      ['transports', 'Transports', 'HTTP, fetch runtimes, stdio, graceful shutdown'],
      ['errors', 'Errors', 'every error code and error class'],
      ['limits', 'Limits', 'every limit with its default and its option'],
      ['hosts', 'Hosts', 'what hosts do with names, schemas, texts and results'],
      ['protocol-versions', 'Protocol versions', 'compatibility matrix of the protocol revisions'],
      ['security-model', 'Security model', 'what is rejected by default, and how to allow it'],
      ['benchmarks', 'Benchmarks', 'results, how to reproduce them, and how to make a server faster'],
    ],
  },
  {
    title: 'Help',
    folder: 'help',
    pages: [
      ['troubleshooting', 'Troubleshooting', 'error messages, their causes and fixes'],
      ['faq', 'FAQ', 'short answers to common questions'],
      ['versioning', 'Versioning and support policy', 'what changes when, and for how long a version is supported'],
    ],
  },
]

/** Every page as `{ section, path, title, description }`; `path` is relative to docs/ and has no extension. */
export const PAGES = SECTIONS.flatMap(({ title: section, folder, pages }) =>
  pages.map(([name, title, description]) => ({ section, path: `${folder}/${name}`, title, description })),
)
