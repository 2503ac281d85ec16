import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { gunzipSync } from 'node:zlib'
import type { Tool } from 'portcall/client'

/** The tools that a published MCP server lists. */
export interface ToolList {
  /** A name for the server. */
  readonly name: string
  readonly package: string
  readonly version: string
  readonly tools: readonly Tool[]
}

interface Query {
  readonly query: string
  /** The tools that answer the query. One of them has to be found. */
  readonly tools: readonly string[]
}

const require = createRequire(import.meta.url)
const LISTS = new URL('../fixtures/tool-lists.jsonl.gz', import.meta.url)

/** The tool lists of published servers, as they answered `tools/list`. */
export const TOOL_LISTS: readonly ToolList[] = gunzipSync(readFileSync(LISTS))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

/** 200 queries: 100 for GitHub's API, 100 for the servers of some packages. */
export const QUERIES: {
  readonly packages: readonly string[]
  readonly github: readonly Query[]
  readonly servers: readonly Query[]
} = require('../fixtures/queries.json')
