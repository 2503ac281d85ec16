/** Writes texts that make a regular expression try as many ways to match as it can: parts of what it matches, repeated, and then no match. */

const MAX_SAMPLE = 24
const MAX_WAYS = 40
/** Ends lines and texts with what few expressions match. */
const END = '\u0000\n\u0000'
/** Characters that negated classes and dots often accept. */
const OTHERS = ['a', ' ', '0', '-', '\n', '.', '/', '"']
const CLASSES = {
  d: '0',
  w: 'a',
  s: ' ',
  D: 'a',
  W: ' ',
  S: 'a',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  f: '\f',
  b: '',
  B: '',
  0: '\0',
}

/** Returns pairs of the beginning of a text and of what is repeated after it. */
export function attacksOn({ source, flags }) {
  const samples = samplesOf({ source, flags })
  const attacks = new Map()
  const add = (before, repeated) => repeated && attacks.set(JSON.stringify([before, repeated]), { before, repeated })
  for (const sample of samples) {
    for (let from = 0; from < sample.length; from++) {
      for (let to = from + 1; to <= sample.length; to++) {
        add('', sample.slice(from, to))
        add(sample.slice(0, from), sample.slice(from, to))
      }
      for (const other of OTHERS) add(sample.slice(0, from), other)
    }
  }
  for (const other of OTHERS) for (const next of ['', ...OTHERS]) add('', other + next)
  for (const [word] of source.matchAll(/[A-Za-z]{3,}/g)) for (const other of OTHERS) add('', word + other)
  for (const character of new Set(samples.join(''))) add('é', character)
  return [...attacks.values()]
}

/** Returns a text of about this length. */
export function attackText({ before, repeated }, length) {
  return before + repeated.repeat(Math.ceil(length / repeated.length)) + END
}

/** Returns samples of what a pattern matches: one for each alternative, where the others take their first one, and for both ends of each class. */
function samplesOf({ source, flags }) {
  const { node } = parseAlternatives({ source, flags: flags.replace(/[gy]/g, '') }, 0)
  return [...new Set([...waysOf(node, 'text'), ...waysOf(node, 'last')].map((sample) => sample.slice(0, MAX_SAMPLE)))]
}

function waysOf(node, kind) {
  if (node.choices === undefined) return [node[kind]]
  return node.choices.flatMap((sequence) => {
    const ways = sequence.map((atom) => waysOf(atom.node, kind).map((text) => text.repeat(atom.count)))
    const first = ways.map(([text]) => text)
    const others = ways.flatMap((texts, at) => texts.slice(1).map((text) => first.with(at, text).join('')))
    return [first.join(''), ...others].slice(0, MAX_WAYS)
  })
}

/** Parses up to a closing parenthesis: a list of sequences. */
function parseAlternatives(pattern, start) {
  const { source } = pattern
  const choices = [[]]
  let at = start
  while (at < source.length && source[at] !== ')') {
    if (source[at] === '|') {
      choices.push([])
      at += 1
      continue
    }
    const { node, end } = parseAtom(pattern, at)
    const [quantifier = ''] = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/.exec(source.slice(end)) ?? []
    const least = Number(/\d+/.exec(quantifier)?.[0] ?? 1)
    if (node) choices.at(-1).push({ node, count: Math.max(1, Math.min(least, 16)) })
    at = end + quantifier.length
  }
  return { node: { choices }, end: at }
}

function parseAtom(pattern, at) {
  const { source } = pattern
  if (source[at] === '(') {
    const [head] = /^\((?:\?(?:<[A-Za-z]\w*>|<?[=!]|:))?/.exec(source.slice(at))
    const { node, end } = parseAlternatives(pattern, at + head.length)
    return { node: /[=!]$/.test(head) ? undefined : node, end: end + 1 }
  }
  if (source[at] === '[') return parseClass(pattern, at)
  if (source[at] === '\\') return parseEscape(source, at)
  if (source[at] === '^' || source[at] === '$') return { node: undefined, end: at + 1 }
  const text = source[at] === '.' ? 'a' : source[at]
  return { node: { text, last: text }, end: at + 1 }
}

function parseEscape(source, at) {
  const [, hex] = /^\\(?:u\{?|x)([0-9a-fA-F]{2,5})\}?/.exec(source.slice(at)) ?? []
  const [whole] = /^\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<\w+>|.)/s.exec(source.slice(at))
  const text = hex
    ? String.fromCodePoint(Number.parseInt(hex, 16))
    : /^\\[pP1-9k]/.test(whole)
      ? 'a'
      : (CLASSES[whole[1]] ?? whole[1])
  return { node: text === '' ? undefined : { text, last: text }, end: at + whole.length }
}

function parseClass({ source, flags }, at) {
  const [whole] = /^\[\^?(?:\\.|[^\]\\])*\]/s.exec(source.slice(at))
  const first = (text) => (text.startsWith('\\') ? (parseEscape(text, 0).node?.text ?? 'a') : text[0])
  const text = whole.startsWith('[^')
    ? (OTHERS.find((other) => new RegExp(whole, flags).test(other)) ?? 'é')
    : (['a', '0', ' '].find((other) => new RegExp(whole, flags).test(other)) ?? first(whole.slice(1)))
  const last = whole.startsWith('[^') ? text : whole.endsWith('\\]') ? ']' : lastOf(whole)
  return { node: { text, last: last ?? text }, end: at + whole.length }
}

/** Returns the last character of a class that is no range and no escape. */
function lastOf(whole) {
  const character = whole.at(-2)
  return whole.at(-3) === '\\' || (whole.at(-3) === '-' && whole.length > 4) ? undefined : character
}
