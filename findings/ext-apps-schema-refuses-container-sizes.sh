#!/usr/bin/env bash
# The JSON Schema that @modelcontextprotocol/ext-apps 2.0.4 publishes (`schema.json`) refuses the size of the container that its own Zod schema
# accepts: containerDimensions joins two closed objects, one for the height and one for the width, so each refuses the members of the other, and
# only {} satisfies both. The file also refers to a definition, __schema0, that it does not have, so strict validators do not compile it.
#
# Needs Node 20 and npm. Exits with 0 if the package behaves like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-audit --no-fund --loglevel=error --legacy-peer-deps \
  @modelcontextprotocol/ext-apps@2.0.4 @modelcontextprotocol/core@2.4.0 @modelcontextprotocol/client@2.4.0 zod@4.6.7 ajv@8.17.1 > /dev/null

cat > run.mjs <<'RUN'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { McpUiHostContextChangedNotificationSchema as zod } from '@modelcontextprotocol/ext-apps'
import { Ajv2020 } from 'ajv/dist/2020.js'

const schema = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('@modelcontextprotocol/ext-apps/schema.json'), 'utf8'))
const name = 'McpUiHostContextChangedNotification'
const compile = (definitions) =>
  new Ajv2020({ strict: false, validateFormats: false }).compile({ $ref: `#/$defs/${name}`, $defs: { ...schema.$defs, ...definitions } })

let missing = ''
try {
  compile({})
} catch (error) {
  missing = error.message
}
console.log(`as published: ${missing || 'compiles'}`)
const validate = compile({ __schema0: {} })
const SIZES = [{ width: 600, height: 400 }, { width: 600, maxHeight: 5000 }, { maxWidth: 768, maxHeight: 400 }, { width: 600 }, {}]
const rows = SIZES.map((containerDimensions) => {
  const message = { method: 'ui/notifications/host-context-changed', params: { containerDimensions } }
  const row = { size: JSON.stringify(containerDimensions), json: validate(message), zod: zod.safeParse(message).success }
  console.log(`${row.size}: ${row.json} by schema.json, ${row.zod} by the Zod schema`)
  return row
})
const asExpected = missing.includes('__schema0') && rows.every(({ size, json, zod: accepts }) => accepts && json === (size === '{}'))
console.log(asExpected ? 'The published schema refuses every size.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN
echo 'ext-apps 2.0.4'
node run.mjs
