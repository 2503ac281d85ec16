/**
 * The client under test of the official suite: `client URL`, with the scenario in the environment. `--where` prints the path of the bundled
 * file.
 */
import { fileURLToPath } from 'node:url'
import { type Client, type ConnectOptions, connect } from 'portcall/client'
import { bridge } from 'portcall/gateway'
import { type ClientSkills, skills } from 'portcall/skills/client'
import { type AuthContext, authOf } from './client-auth.ts'

type Scenario = (client: Client & { readonly skills: ClientSkills }, context: Context) => Promise<unknown>

/** The parameters of a scenario. */
interface Context extends AuthContext {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[]
}

/** Lists the tools and calls each of them without arguments. */
const callAllTools: Scenario = async (client) => {
  for (const { name } of await client.tools().toArray()) await client.callTool(name)
}

const callAfterListing =
  (name: string, args: Record<string, unknown> = {}): Scenario =>
  async (client) => {
    await client.tools().toArray()
    await client.callTool(name, args)
  }

/** Loads the first skill of the list, and reads another file of it. */
const loadSkill: Scenario = async (client) => {
  const [entry] = await client.skills.list().toArray()
  const skill = entry && (await client.skills.load(entry))
  await skill?.read('references/FORMS.md')
}

const SCENARIOS: { readonly [name: string]: Scenario } = {
  initialize: (client) => client.tools().toArray(),
  tools_call: callAfterListing('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': (client) => client.callTool('test_client_elicitation_defaults'),
  'sse-retry': callAfterListing('test_reconnection'),
  'request-metadata': (client) => client.tools().toArray(),
  'json-schema-ref-no-deref': (client) => client.tools().toArray(),
  'http-standard-headers': async (client) => {
    await client.tools().toArray()
    await client.callTool('test_headers')
    for (const { uri } of await client.resources().toArray()) await client.readResource(uri)
    for (const { name } of await client.prompts().toArray()) await client.getPrompt(name)
  },
  'http-custom-headers': async (client, { toolCalls = [] }) => {
    await client.tools().toArray()
    for (const call of toolCalls) await client.callTool(call.name, call.arguments)
  },
  'http-invalid-tool-headers': async (client) => {
    for (const { name } of await client.tools().toArray()) await client.callTool(name, { region: 'us-west1' })
  },
  'json-schema-2020-12-preservation': async (client) => {
    const tool = (await client.tools().toArray()).find(({ name }) => name === 'json_schema_2020_12_tool')
    await client.callTool('json_schema_echo', { schema: tool?.inputSchema })
  },
  'sep-2640-client-no-prefetch': (client) => client.skills.list().toArray(),
  'sep-2640-client-verify-digest': loadSkill,
  'sep-2640-client-verify-size': loadSkill,
  'sep-2640-client-verify-frontmatter': loadSkill,
  'sep-2322-client-request-state': async (client) => {
    await Promise.all([client.callTool('test_mrtr_echo_state'), client.callTool('test_mrtr_unrelated')])
    await client.callTool('test_mrtr_no_state')
    await client.callTool('test_mrtr_no_result_type')
  },
}

const { MCP_CONFORMANCE_SCENARIO = '', MCP_CONFORMANCE_PROTOCOL_VERSION, MCP_CONFORMANCE_CONTEXT = '{}' } = process.env
const [target = ''] = process.argv.slice(2)

if (target === '--where') console.log(fileURLToPath(import.meta.url))
else {
  const context: Context = JSON.parse(MCP_CONFORMANCE_CONTEXT)
  const options: ConnectOptions = {
    info: { name: 'portcall-conformance', version: '1.0.0' },
    elicit: ({ defaults }) => ({ confirmed: true, confirm: true, ...defaults }),
    sample: () => ({ role: 'assistant', content: { type: 'text', text: 'Hello' }, model: 'none' }),
    roots: [{ uri: 'file:///work', name: 'work' }],
    onEvent: (event) => console.error(JSON.stringify(event)),
    ...(MCP_CONFORMANCE_SCENARIO.startsWith('auth/') && { auth: authOf(MCP_CONFORMANCE_SCENARIO, context) }),
    ...(MCP_CONFORMANCE_PROTOCOL_VERSION && { protocolVersion: MCP_CONFORMANCE_PROTOCOL_VERSION }),
  }
  const { auth, protocolVersion, ...clientOptions } = options
  const isThroughGateway = process.env.CONFORMANCE_THROUGH === 'gateway'
  const gateway = bridge(target, { ...(auth && { auth }), ...(protocolVersion !== undefined && { protocolVersion }) })
  const client = await connect(isThroughGateway ? gateway : target, {
    ...(isThroughGateway ? clientOptions : options),
    extensions: [skills({ label: 'conformance' })],
  })
  const scenario = Object.hasOwn(SCENARIOS, MCP_CONFORMANCE_SCENARIO) ? SCENARIOS[MCP_CONFORMANCE_SCENARIO] : callAllTools
  await scenario?.(client, context)
  await client.close()
  await gateway.close()
}
