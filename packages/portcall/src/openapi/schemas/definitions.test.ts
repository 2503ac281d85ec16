import { connect } from 'portcall/client'
import { fromOpenAPI } from 'portcall/openapi'
import { expect, onTestFinished, test } from 'vitest'

/** A description whose body refers to many schemas with long names that refer to each other. */
function describeMany(count: number): object {
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `A_schema_with_a_rather_long_name_${index}`,
      {
        type: 'object',
        description: 'x'.repeat(450),
        properties: Object.fromEntries(
          [1, 2, 3].map((step) => [
            `p${step}`,
            { $ref: `#/components/schemas/A_schema_with_a_rather_long_name_${(index * 3 + step) % count}` },
          ]),
        ),
      },
    ]),
  )
  const schema = { $ref: '#/components/schemas/A_schema_with_a_rather_long_name_0' }
  const paths = { '/p': { post: { operationId: 'x', requestBody: { content: { 'application/json': { schema } } } } } }
  return { openapi: '3.1.0', info: { title: 't', version: '1' }, paths, components: { schemas } }
}

test.each([
  [10, 32_768],
  [300, 32_768],
  [300, 5000],
  [1000, 10_000],
])('the input schema of %d schemas stays below %d characters', async (count, maxInputSchemaChars) => {
  const server = await fromOpenAPI(describeMany(count), { baseUrl: 'http://127.0.0.1:1', maxInputSchemaChars })
  const client = await connect(server)
  onTestFinished(() => client.close())
  const [tool] = await client.tools().toArray()
  const text = JSON.stringify(tool?.inputSchema)
  expect(text.length).toBeLessThanOrEqual(maxInputSchemaChars)
  const names = new Set(Object.keys(tool?.inputSchema.$defs ?? {}))
  for (const [, name] of text.matchAll(/"#\/\$defs\/([^"]*)"/g)) expect(names).toContain(name)
  expect(server.openapi.issues.length).toBe(count === 10 ? 0 : 1)
})
