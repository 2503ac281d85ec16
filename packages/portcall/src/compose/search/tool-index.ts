import type MiniSearch from 'minisearch'
import { sha256 } from '../../../../util/src/digest.ts'
import { setLru } from '../../../../util/src/lru.ts'
import { oncePer } from '../../../../util/src/once-per.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { normalizeWord, splitWords } from './words.ts'

/** Ranks tools by how well they match a query. */
export interface ToolIndex {
  /** Returns the best tools, the best first. */
  search(tools: readonly JsonObject[], query: string, limit: number): Promise<readonly JsonObject[]>
}

/** The text of a tool that is searched. */
interface ToolText {
  readonly name: string
  /** Its name, title and description. */
  readonly text: string
  /** The names and descriptions of its arguments. */
  readonly arguments: string
}

type Index = MiniSearch<ToolText & { readonly id: number }>

/** The index of a list, and the words in the name of each tool. */
interface IndexedList {
  readonly index: Index
  readonly namesWords: readonly ReadonlySet<string>[]
}

const BOOST = { name: 1, text: 1, arguments: 0.2 }
/** A tool whose name contains all words of the query gets this much more than one whose name contains none. */
const NAME_BONUS = 0.5
const BM25 = { k: 2, b: 0.5, d: 0 }
/** Indexes of different lists that are kept: callers with different rights see different tools. */
const MAX_INDEXES = 16
/** A longer description says the most important things first. */
const MAX_DESCRIPTION_LENGTH = 600
/** Words that no tool has may be misspelled. */
const FUZZINESS = 0.2
const MIN_FUZZY_LENGTH = 5
const MIN_PREFIX_LENGTH = 4
const WEIGHTS = { prefix: 0.2, fuzzy: 0.2 }

/**
 * Creates an index that is built for the list of each search, and kept for the next search of the same list. A tool that is not in the list
 * affects neither the result nor the order, and a changed list is indexed again.
 */
export function createToolIndex(): ToolIndex {
  const byList = new WeakMap<readonly JsonObject[], Promise<IndexedList>>()
  const byContent = new Map<string, Promise<IndexedList>>()

  const indexOf = async (tools: readonly JsonObject[]): Promise<IndexedList> => {
    const key = await sha256(JSON.stringify(tools.map(textOf)))
    const index = byContent.get(key) ?? buildIndex(tools)
    setLru(byContent, [key, index], MAX_INDEXES)
    return index
  }

  return {
    async search(tools, query, limit) {
      const pending = byList.get(tools) ?? indexOf(tools)
      byList.set(tools, pending)
      const { index, namesWords } = await pending
      const words = [...new Set(wordsOf(query))]
      const shareInName = (id: number): number => words.filter((word) => namesWords[id]?.has(word)).length / words.length
      return index
        .search(query)
        .map(({ id, score }) => ({ tool: tools[Number(id)], score: score * (1 + NAME_BONUS * shareInName(Number(id))) }))
        .sort((one, other) => other.score - one.score)
        .flatMap(({ tool }) => (tool ? [tool] : []))
        .slice(0, limit)
    },
  }
}

async function buildIndex(tools: readonly JsonObject[]): Promise<IndexedList> {
  const { default: Search } = await import('minisearch')
  const known = new Set(tools.flatMap((tool) => Object.values(textOf(tool)).flatMap(wordsOf)))
  const index: Index = new Search({
    fields: Object.keys(BOOST),
    tokenize: splitWords,
    processTerm: (word) => normalizeWord(word) ?? null,
    searchOptions: {
      boost: BOOST,
      bm25: BM25,
      weights: WEIGHTS,
      prefix: (word) => word.length >= MIN_PREFIX_LENGTH,
      fuzzy: (word) => (!known.has(word) && word.length >= MIN_FUZZY_LENGTH ? FUZZINESS : false),
    },
  })
  index.addAll(tools.map((tool, id) => ({ id, ...textOf(tool) })))
  return { index, namesWords: tools.map((tool) => new Set(wordsOf(textOf(tool).name))) }
}

function wordsOf(text: string): string[] {
  return splitWords(text).flatMap((word) => normalizeWord(word) ?? [])
}

const textOf = oncePer((tool: JsonObject): ToolText => {
  const annotations = isObject(tool.annotations) ? tool.annotations : {}
  const description = stringOf(tool.description).slice(0, MAX_DESCRIPTION_LENGTH)
  const name = stringOf(tool.name)
  return {
    name,
    text: [name, stringOf(tool.title) || stringOf(annotations.title), description].join(' '),
    arguments: argumentTexts(tool.inputSchema).join(' '),
  }
})

function argumentTexts(schema: unknown): string[] {
  const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return Object.entries(properties).flatMap(([name, property]) => [
    name,
    isObject(property) ? stringOf(property.description) : '',
  ])
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
