import { isObject } from 'portcall/jsonrpc'
import type { OperationRequest } from '../protocol/operations.ts'
import { InspectorCommandError } from '../state/command-error.ts'
import { isSecretValue, schemeOf } from '../wire/mask.ts'
import { redactText } from './redact.ts'
import { type CopyInput, wireForm } from './wire-form.ts'

/** Writes a program that sends the request with this package. */
export function writeTypeScript(input: CopyInput): string {
  const { imports, target, options } = targetOf(input)
  return `import { connect } from 'portcall/client'
${imports}
const client = await connect(${target}${options})
try {
  const result = await ${callOf(input.request, input)}
  console.log(JSON.stringify(result, null, 2))
} finally {
  await client.close()
}
`
}

/** Writes a test of \`portcall/testing\` that calls the server and expects what it responded before. */
export function writeTest(input: CopyInput): string {
  const { request, parts } = input
  const { imports, target, options } = targetOf(input)
  const last = parts.operations.all.findLast(
    (operation) => operation.status === 'done' && JSON.stringify(operation.request) === JSON.stringify(request),
  )
  const isTool = request.type === 'call-tool'
  const text = isTool ? firstText(last?.result) : undefined
  const check = text === undefined ? 'assert.ok(result)' : `assertText(result, ${JSON.stringify(text)})`
  const helper =
    text === undefined ? "import assert from 'node:assert/strict'\n" : "import { assertText } from 'portcall/testing'\n"
  const title = isTool ? `${request.name} responds as before` : `${wireForm(input).method} responds`
  return `import { test } from 'node:test'
import { connect } from 'portcall/client'
${helper}${imports}
test(${JSON.stringify(title)}, async () => {
  const client = await connect(${target}${options})
  try {
    const result = await ${callOf(request, input)}
    ${check}
  } finally {
    await client.close()
  }
})
`
}

function firstText(result: unknown): string | undefined {
  const [block] =
    isObject(result) && Array.isArray(result.content) && result.content.length === 1 ? (result.content as unknown[]) : []
  return isObject(block) && typeof block.text === 'string' ? block.text : undefined
}

function targetOf({ server, secret }: CopyInput): { imports: string; target: string; options: string } {
  const { target, settings } = server
  const headers = Object.entries(settings.headers ?? {}).map(([name, value]) => {
    const scheme = schemeOf(value)
    const text = isSecretValue(name, value) ? `\`${scheme}\${process.env.${secret(name)}}\`` : JSON.stringify(value)
    return `${JSON.stringify(name)}: ${text}`
  })
  const members = [
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(settings.revision === undefined ? [] : [`protocolVersion: ${JSON.stringify(settings.revision)}`]),
  ]
  const options = members.length > 0 ? `, { ${members.join(', ')} }` : ''
  switch (target.kind) {
    case 'url':
      return { imports: '', target: JSON.stringify(redactText(target.url)), options }
    case 'program':
      return {
        imports: '',
        target: `{ command: ${JSON.stringify(target.command)}, args: ${JSON.stringify(target.args.map(redactText))} }`,
        options,
      }
    case 'module':
      return { imports: `import { server } from ${JSON.stringify(target.path)}\n`, target: 'server', options }
    default:
      throw new InspectorCommandError('INVALID_PARAMS', 'Code needs a URL, a program or a module')
  }
}

function callOf(request: OperationRequest, input: CopyInput): string {
  const json = (value: unknown): string => JSON.stringify(value)
  switch (request.type) {
    case 'call-tool':
      return `client.callTool(${json(request.name)}, ${json(request.arguments)})`
    case 'read-resource':
      return `client.readResource(${json(request.uri)})`
    case 'get-prompt':
      return `client.getPrompt(${json(request.name)}, ${json(request.arguments)})`
    case 'discover':
      return 'client.discover()'
    default: {
      const { method, params } = wireForm(input)
      return `client.request(${json(method)}, ${json(params)})`
    }
  }
}
