#!/usr/bin/env bash
# An OpenAPI description in YAML that shares parts of operations with merge keys (<<) means different APIs to the YAML parsers of npm. js-yaml
# 4.3.2 merges them by default. js-yaml 5.5.0, yaml 2.9.1 and @apidevtools/json-schema-ref-parser 15.3.5 (which has js-yaml 4 inside) do not: the
# operation has a member named "<<" instead, and its parameters are missing, without an error or a warning.
#
# Needs Node 20 and npm. Exits with 0 if the parsers behave like this, and with 1 if that has changed.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
echo '{"private":true,"type":"module"}' > package.json
npm install --no-audit --no-fund --loglevel=error js-yaml@5.5.0 old@npm:js-yaml@4.3.2 yaml@2.9.1 \
  @apidevtools/json-schema-ref-parser@15.3.5 > /dev/null

cat > description.yaml <<'YAML'
openapi: 3.0.3
info: { title: Orders, version: '1' }
x-paged: &paged
  parameters: [{ name: page, in: query, schema: { type: integer } }]
paths:
  /orders:
    get:
      <<: *paged
      operationId: listOrders
      responses: { '200': { description: The orders } }
YAML

cat > run.mjs <<'RUN'
import { readFileSync } from 'node:fs'
import { $RefParser } from '@apidevtools/json-schema-ref-parser'
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml'
import old from 'old'
import { parse } from 'yaml'

const text = readFileSync('description.yaml', 'utf8')
const parsed = {
  'js-yaml 4.3.2': old.load(text),
  'json-schema-ref-parser 15.3.5': await new $RefParser().parse('description.yaml'),
  'js-yaml 5.5.0': load(text),
  'js-yaml 5.5.0 with mergeTag': load(text, { schema: CORE_SCHEMA.withTags(mergeTag) }),
  'yaml 2.9.1': parse(text),
  'yaml 2.9.1 with merge: true': parse(text, { merge: true }),
}
const found = {}
for (const [parser, { paths }] of Object.entries(parsed)) {
  found[parser] = Object.keys(paths['/orders'].get)
  console.log(`${parser}: the operation has ${found[parser].join(', ')}`)
}
const merges = Object.entries(found).map(([, members]) => members.includes('parameters') && !members.includes('<<'))
const asExpected = JSON.stringify(merges) === JSON.stringify([true, false, false, true, false, true])
console.log(asExpected ? 'The parsers disagree, and none reports it.' : 'CHANGED: this is not what was found.')
process.exitCode = asExpected ? 0 : 1
RUN

node run.mjs
