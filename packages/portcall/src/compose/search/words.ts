/** Words that say nothing about a tool. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by can do does for from has have how i if in into is it its me my of on or our so some that the their them then there these this to up us use used using want was we what when where which who will with you your need please should would could tool tools'.split(
    ' ',
  ),
)

/** Endings that are removed, so that `lists`, `listed` and `listing` match `list`. The first that leaves enough letters applies. */
const ENDINGS: readonly string[] = [
  'izations',
  'ization',
  'ations',
  'ation',
  'ments',
  'ment',
  'ings',
  'ing',
  'ions',
  'ion',
  'ers',
  'er',
  'ed',
  'es',
  's',
  'e',
]
const MIN_STEM_LENGTH = 3

/** Words that people and tools use for the same action. Each is replaced by the first of its list. */
const SYNONYMS: readonly string[] = [
  'delete remove erase drop trash discard clear forget',
  'create add new make insert open write register build put save compose',
  'get fetch retrieve read show view display give lookup',
  'list all browse enumerate which',
  'search find query look seek',
  'update edit change modify alter',
  'move rename',
  'send post message dm say tell',
  'repository repo',
  'pull pr',
  'directory folder dir',
  'image picture photo img',
  'page website webpage site',
  'run execute exec launch start begin dispatch trigger',
  'cancel stop abort kill terminate end',
  'email mail gmail inbox',
  'error exception crash',
  'issue ticket bug',
  'document doc documentation',
  'database db',
  'organization org',
  'event meeting appointment',
  'comment reply remark',
  'user person people member colleague somebody someone who',
  'login logged signin authenticated',
  'screenshot screencap snapshot',
  'direction route drive travel',
  'navigate go visit',
  'weather forecast',
  'upload attach',
  'latest newest recent',
  'content text',
  'field property attribute column',
  'history audit',
  'check verify validate correct',
  'usage spend cost',
  'remember memory',
  'relation connect link associate',
  'approve accept',
  'sub child nested below',
  'size big large',
  'process program',
  'permission access right',
  'current active',
]

const CANONICAL: ReadonlyMap<string, string> = new Map(
  SYNONYMS.flatMap((line) => {
    const [first = '', ...others] = line.split(' ')
    return others.map((other) => [stem(other), stem(first)] as const)
  }),
)

/** Letters of scripts that write no spaces between words. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー'
const RUNS = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu')
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u')

/** Splits a word where the script changes. Text without spaces becomes its pairs of letters, so that a word in it can be found. */
function splitRuns(word: string): string[] {
  return (word.match(RUNS) ?? []).flatMap((run) => {
    if (!IS_UNSPACED.test(run)) return [run]
    const letters = Array.from(run)
    return letters.length < 3 ? [run] : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`)
  })
}

/**
 * Splits text into words: at spaces, punctuation, and the capital letters of `camelCase`. Words are lower-case and without accents. Scripts without
 * spaces become pairs of letters.
 */
export function splitWords(text: string): string[] {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\d]+/gu) ?? []
  return words.flatMap(splitRuns)
}

/** Returns the form under which a word is indexed, or `undefined` for a word that says nothing. */
export function normalizeWord(word: string): string | undefined {
  if (STOP_WORDS.has(word)) return undefined
  const stemmed = stem(word)
  return CANONICAL.get(stemmed) ?? stemmed
}

/** Removes the ending of a word. What is left need not be a word: `files` and `file` become `fil`. */
function stem(word: string): string {
  const singular = word.endsWith('ies') && word.length > MIN_STEM_LENGTH + 2 ? `${word.slice(0, -3)}y` : word
  const ending = ENDINGS.find((one) => singular.endsWith(one) && singular.length - one.length >= MIN_STEM_LENGTH)
  if (ending === undefined || singular.endsWith('ss')) return singular
  const rest = singular.slice(0, -ending.length)
  const isDoubled = /^(?:ing|ings|ed|er|ers)$/.test(ending) && /([bdfgmnprt])\1$/.test(rest)
  const shortened = isDoubled ? rest.slice(0, -1) : rest
  return /(?:at|iz)$/.test(shortened) && shortened.length > MIN_STEM_LENGTH + 1 ? shortened.slice(0, -2) : shortened
}
